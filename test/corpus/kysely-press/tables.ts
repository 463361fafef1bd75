/** The migrations, as one. */
export const tables = `
CREATE SCHEMA audit;
CREATE TABLE plans (id text PRIMARY KEY);
INSERT INTO plans VALUES ('free'), ('pro');
CREATE TABLE users (id text PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE, plan_id text NOT NULL REFERENCES plans (id));
CREATE TABLE profiles (user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE, bio text, pinned text);
CREATE TABLE sessions (token text PRIMARY KEY, user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE);
CREATE TABLE folders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL, owner_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE, parent_id uuid REFERENCES folders (id) ON DELETE SET NULL);
CREATE TABLE posts (id text PRIMARY KEY, owner_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE, folder_id uuid REFERENCES folders (id) ON DELETE SET NULL, title text NOT NULL, body text NOT NULL DEFAULT '', created_at integer NOT NULL, deleted_at integer);
CREATE TABLE audit.posts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), post_id text NOT NULL REFERENCES public.posts (id) ON DELETE CASCADE, what text NOT NULL);
CREATE TABLE tags (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL UNIQUE);
CREATE TABLE post_tags (post_id text NOT NULL REFERENCES posts (id) ON DELETE CASCADE, tag_id uuid NOT NULL REFERENCES tags (id), PRIMARY KEY (post_id, tag_id));
CREATE TABLE shares (post_id text NOT NULL REFERENCES posts (id) ON DELETE CASCADE, user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE, PRIMARY KEY (post_id, user_id));
CREATE TABLE reactions (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), post_id text NOT NULL, user_id text NOT NULL, emoji text NOT NULL, FOREIGN KEY (post_id, user_id) REFERENCES shares (post_id, user_id) ON DELETE CASCADE);
`
