/**
 * Schemas, with `KEY(family)` and `REF(family)` where ids are. The second has the shapes of models that open-source
 * applications have, with names of our own.
 */
export const SHAPES: Readonly<Record<string, string>> = {
  'every kind of relation': `
model Person {
  id     KEY(flax)
  name   String
  bossId REF?(flax)
  boss   Person?  @relation("staff", fields: [bossId], references: [id], onDelete: NoAction, onUpdate: NoAction)
  staff  Person[] @relation("staff")
  card   Card?
  posts  Post[]   @relation("written")
  likes  Post[]   @relation("likes")
  member Member[]
}
model Card {
  personId REF(flax) @id
  data     Int      @default(0)
  person   Person   @relation(fields: [personId], references: [id])
}
model Post {
  id       KEY(sno)
  title    String
  score    Int?
  traceId  HELD?(flax)
  personId REF(flax)
  person   Person   @relation("written", fields: [personId], references: [id])
  liked    Person[] @relation("likes")
}
model Team {
  id      KEY(sno)
  label   String   @unique TEXT
  members Member[]
}
model Member {
  personId REF(flax)
  teamId   REF(sno)
  role     String?
  person   Person   @relation(fields: [personId], references: [id], onDelete: Cascade)
  team     Team     @relation(fields: [teamId], references: [id])
  @@id([personId, teamId])
}`,
  'open-source applications': `
// Auth.js: accounts by a composite unique key, sessions, tokens without a key of their own.
model Visitor {
  id       KEY(flax)
  mail     String?   @unique TEXT
  logins   Login[]
  visits   Visit[]
  booked   Slot[]
  papers   Paper[]
  holdings Holding[]
}
model Login {
  provider  String TEXT
  subject   String TEXT
  visitorId REF(flax)
  visitor   Visitor @relation(fields: [visitorId], references: [id], onDelete: Cascade)
  @@id([provider, subject])
}
model Visit {
  token     String  @unique TEXT
  visitorId REF(flax)
  visitor   Visitor @relation(fields: [visitorId], references: [id], onDelete: Cascade)
}
model Challenge {
  subject String TEXT
  token   String TEXT
  @@unique([subject, token])
}
// Formbricks: answers in a Json field named data, to one of a survey.
model Survey {
  id      KEY(sno)
  name    String
  answers Answer[]
  setting Setting?
}
model Answer {
  id       KEY(sno)
  data     Json?
  surveyId REF(sno)
  survey   Survey @relation(fields: [surveyId], references: [id], onDelete: Cascade)
}
model Setting {
  id       KEY(flax)
  data     Json?
  surveyId REF(sno) @unique
  survey   Survey  @relation(fields: [surveyId], references: [id], onDelete: Cascade)
}
// Documenso: a file that belongs to one paper and is called its data.
model Paper {
  id      KEY(flax)
  title   String
  ownerId REF(flax)
  owner   Visitor @relation(fields: [ownerId], references: [id], onDelete: Cascade)
  dataId  REF(sno) @unique
  data    Blob    @relation(fields: [dataId], references: [id])
}
model Blob {
  id    KEY(sno)
  data  String
  paper Paper?
}
// Cal.com: people and kinds of slots, many-to-many, and slots that were moved from another.
model Kind {
  id    KEY(flax)
  slug  String @unique TEXT
  slots Slot[]
}
model Slot {
  id     KEY(sno)
  state  State    @default(open)
  kindId REF?(flax)
  kind   Kind?    @relation(fields: [kindId], references: [id])
  guests Visitor[]
  fromId REF?(sno)
  from   Slot?    @relation("moved", fields: [fromId], references: [id], onDelete: NoAction, onUpdate: NoAction)
  to     Slot[]   @relation("moved")
}
enum State {
  open
  done
}
// Ghostfolio: a key of a row and its owner, and a foreign key to both.
model Holding {
  id        KEYPART(flax)
  visitorId REF(flax)
  visitor   Visitor @relation(fields: [visitorId], references: [id], onDelete: Cascade)
  name      String?
  trades    Trade[]
  @@id([id, visitorId])
}
model Trade {
  id        KEY(sno)
  holdingId REF(flax)
  visitorId REF(flax)
  holding   Holding @relation(fields: [holdingId, visitorId], references: [id, visitorId], onDelete: Cascade)
  count     Int     @default(1)
}
// Hoppscotch: folders within folders, each with Json named data, and requests in them.
model Folder {
  id       KEY(flax)
  data     Json?
  parentId REF?(flax)
  parent   Folder?   @relation("in", fields: [parentId], references: [id], onDelete: NoAction, onUpdate: NoAction)
  children Folder[]  @relation("in")
  requests Request[]
}
model Request {
  id       KEY(sno)
  order    Int    @default(0)
  folderId REF(flax)
  folder   Folder @relation(fields: [folderId], references: [id], onDelete: Cascade)
}`,
}
