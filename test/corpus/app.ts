/** What the application of each schema can do. Ids are strings, as in applications that never heard of brands. */
export interface App {
  /** An id that a test fixes: `user-1` where the schema takes any text, else a uuid. */
  label(kind: string, number: number): string
  /** A key of a user that rows have before the schema changes. */
  readonly stored: RegExp
  signUp(user: { id?: string; name: string }): Promise<string>
  rename(userId: string, name: string): Promise<boolean>
  /** Of the user, and of a row that shares the user's key. */
  profile(userId: string): Promise<{ name: string; bio: string | null } | undefined>
  setBio(userId: string, bio: string): Promise<void>
  folder(folder: { id?: string; ownerId: string; name: string; parentId?: string }): Promise<string>
  /** Names of the folder and those above it, the outermost first. */
  path(folderId: string): Promise<string[]>
  post(post: {
    id?: string
    ownerId: string
    folderId?: string
    title: string
    body?: string
    at: number
    tags?: string[]
  }): Promise<string>
  read(
    postId: string,
  ): Promise<{ title: string; owner: string; folder: string | null; tags: string[] } | undefined>
  /** Titles, newest first, after the post with this id. */
  page(ownerId: string, take: number, after?: string): Promise<{ id: string; title: string }[]>
  search(words: string): Promise<string[]>
  /** Deletes it softly. */
  remove(postId: string): Promise<void>
  share(postId: string, userId: string): Promise<void>
  /** Needs a share: a foreign key of two columns. */
  react(postId: string, userId: string, emoji: string): Promise<void>
  reactions(postId: string): Promise<string[]>
  /** Keeps the ids as JSON. */
  pin(userId: string, postIds: string[]): Promise<void>
  pinned(userId: string): Promise<string[]>
  deleteUser(userId: string): Promise<void>
  /** How many posts each user has, by a join and a group. */
  counts(): Promise<{ name: string; posts: number }[]>
}
