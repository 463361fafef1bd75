/**
 * What becomes of a column or an object. `replaced`: its values change. `recreated`: the switch drops it and creates it
 * again. `unaffected`: it stays and means the same. `ignored`: you take it on. `not examined`: nobody has looked.
 * `obstacle` appears in refused plans only: see {@link inventoryOf}.
 */
export type Verdict = 'replaced' | 'recreated' | 'unaffected' | 'ignored' | 'not examined' | 'obstacle'

/** A row of the inventory. */
export interface InventoryRow {
  /** The kind and the name, as `ignore` takes it: `column public.notes.target_id`, `view public.recent`. */
  readonly name: string
  /** What becomes of it. */
  readonly verdict: Verdict
  /** Why. */
  readonly note: string
}
