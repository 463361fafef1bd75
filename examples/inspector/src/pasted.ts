/** The pasted text, without surrounding blanks and quotes. */
export const bare = (pasted: string): string => pasted.trim().replace(/^(['"`])(.*)\1$/, '$2')
