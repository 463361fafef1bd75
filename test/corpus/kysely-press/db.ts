import { CamelCasePlugin, type Dialect, type Generated, Kysely } from 'kysely'

/** By the names that queries use: the database has them in snake case. */
export interface Database {
  plans: { id: string }
  users: { id: string; name: string; email: string; planId: string }
  profiles: { userId: string; bio: string | null; pinned: string | null }
  folders: { id: Generated<string>; name: string; ownerId: string; parentId: string | null }
  posts: {
    id: string
    ownerId: string
    folderId: string | null
    title: string
    body: Generated<string>
    createdAt: number
    deletedAt: number | null
  }
  tags: { id: Generated<string>; name: string }
  postTags: { postId: string; tagId: string }
  shares: { postId: string; userId: string }
  reactions: { id: Generated<string>; postId: string; userId: string; emoji: string }
  /** Who did what, in a schema of its own. */
  'audit.posts': { id: Generated<string>; postId: string; what: string }
  /** Of the next release. */
  drafts: { id: string; ownerId: string }
}

export const connect = (dialect: Dialect) =>
  new Kysely<Database>({
    dialect,
    plugins: [new CamelCasePlugin()],
  })
