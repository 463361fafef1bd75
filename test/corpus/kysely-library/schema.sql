CREATE TABLE users (id text PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE);
CREATE TABLE sessions (id text PRIMARY KEY, user_id text NOT NULL REFERENCES users ON DELETE CASCADE);
CREATE TABLE profiles (user_id text PRIMARY KEY REFERENCES users ON DELETE CASCADE, bio text, pinned text NOT NULL DEFAULT '[]');
CREATE TABLE folders (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL,
  owner_id text NOT NULL REFERENCES users ON DELETE CASCADE, parent_id uuid REFERENCES folders ON DELETE SET NULL
);
CREATE TABLE posts (
  id text PRIMARY KEY, title text NOT NULL, body text NOT NULL DEFAULT '', created_at int NOT NULL, deleted_at int,
  owner_id text NOT NULL REFERENCES users ON DELETE CASCADE, folder_id uuid REFERENCES folders ON DELETE SET NULL
);
CREATE TABLE tags (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL UNIQUE);
CREATE TABLE post_tags (
  post_id text REFERENCES posts ON DELETE CASCADE, tag_id uuid REFERENCES tags ON DELETE CASCADE, PRIMARY KEY (post_id, tag_id)
);
CREATE TABLE shares (
  post_id text REFERENCES posts ON DELETE CASCADE, user_id text REFERENCES users ON DELETE CASCADE, PRIMARY KEY (post_id, user_id)
);
CREATE TABLE reactions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), post_id text NOT NULL, user_id text NOT NULL, emoji text NOT NULL,
  FOREIGN KEY (post_id, user_id) REFERENCES shares ON DELETE CASCADE
);
