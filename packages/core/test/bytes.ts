export const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A text with one character for each byte, whatever the bytes spell. */
export const latin1 = (hex: string): string => Buffer.from(hex, 'hex').toString('latin1')
