import { webcrypto } from 'node:crypto'

const { subtle } = webcrypto
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Sealing as spec/seal.md says it, by Web Crypto and without a line of the package: slow and plain. */
export async function sealByTwin(
  key: Uint8Array,
  { family, prefix, bytes }: { family: string; prefix: string; bytes: Uint8Array },
): Promise<string> {
  const secret = await subtle.importKey('raw', key, 'HKDF', false, ['deriveKey'])
  const info = new TextEncoder().encode(`snoflax seal v1\n${family}\n${prefix}`)
  const derived = await subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info },
    secret,
    { name: 'AES-CBC', length: 256 },
    false,
    ['encrypt'],
  )
  const block = new Uint8Array(16)
  block.set(bytes)
  // With an initial vector of zeros the first block of CBC is the block of AES itself.
  const encrypted = await subtle.encrypt({ name: 'AES-CBC', iv: new Uint8Array(16) }, derived, block)
  const text = base64url(new Uint8Array(encrypted).subarray(0, 16))
  return prefix === '' ? text : `${prefix}_${text}`
}

function base64url(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const sextets = bits.match(/.{1,6}/g) ?? []
  return sextets.map((sextet) => LETTERS[Number.parseInt(sextet.padEnd(6, '0'), 2)]).join('')
}
