/** What was pasted, without the blanks and quotes around it. */
export const bare = (pasted: string): string => pasted.trim().replace(/^(['"`])(.*)\1$/, '$2')
