/** The package has no declarations; this is what the benchmarks use of it. */
declare module 'biguint-format' {
  export default function format(number: Uint8Array, format: 'dec'): string
}
