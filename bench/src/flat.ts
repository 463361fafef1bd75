import { getHeapSnapshot } from 'node:v8'

/**
 * Flattens a text. A string concatenated with `+` is a rope; V8 copies its pieces together when a character is read by
 * index. For a flat text this is one load, of any length. (Comparing ropes, or looking them up in a Map, doesn't flatten
 * them; `Number(text)` and property keys do, but at a cost that depends on the text.)
 */
export const readFlat = (text: string): number => text.charCodeAt(0)

/** A class whose name and elements can be found in a heap snapshot. */
class HeldTexts {
  constructor(texts: readonly string[]) {
    Object.assign(this, texts)
  }
}

interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[]
      readonly node_types: readonly [readonly string[], ...unknown[]]
      readonly edge_fields: readonly string[]
      readonly edge_types: readonly [readonly string[], ...unknown[]]
    }
  }
  readonly nodes: readonly number[]
  readonly edges: readonly number[]
  readonly strings: readonly string[]
}

/** Which of the texts are ropes now, by a heap snapshot. */
export async function areRopes(texts: readonly string[]): Promise<boolean[]> {
  const held = new HeldTexts(texts)
  const heap = new Heap(await takeSnapshot())
  const elements = heap.edges(heap.find('object', HeldTexts.name)).filter(({ type }) => type === 'element')
  if (elements.length !== Object.keys(held).length)
    throw new Error('The heap snapshot does not contain the texts')
  const ropes: boolean[] = []
  for (const { key, to } of elements) ropes[key] = heap.isRope(to)
  return ropes
}

async function takeSnapshot(): Promise<HeapSnapshot> {
  const chunks: string[] = []
  for await (const chunk of getHeapSnapshot()) chunks.push(String(chunk))
  return JSON.parse(chunks.join('')) as HeapSnapshot
}

interface Edge {
  readonly type: string | undefined
  /** Index of an element; for other edges, the index of their name in the list of strings. */
  readonly key: number
  /** The index at which its target starts in the list of nodes. */
  readonly to: number
}

/** A heap snapshot's lists of numbers: the nodes, and the edges of each node in order. */
class Heap {
  private readonly firstEdges = new Map<number, number>()

  constructor(private readonly heap: HeapSnapshot) {
    let edge = 0
    for (let node = 0; node < heap.nodes.length; node += this.meta.node_fields.length) {
      this.firstEdges.set(node, edge)
      edge += this.field(node, 'edge_count') * this.meta.edge_fields.length
    }
  }

  find(type: string, name: string): number {
    for (const node of this.firstEdges.keys()) {
      if (this.type(node) === type && this.name(node) === name) return node
    }
    throw new Error(`The heap snapshot has no ${name}`)
  }

  edges(node: number): Edge[] {
    const { edge_fields, edge_types } = this.meta
    const first = this.firstEdges.get(node) ?? 0
    return Array.from({ length: this.field(node, 'edge_count') }, (_, i) => {
      const at = first + i * edge_fields.length
      const [type, key, to] = edge_fields.map((_, j) => this.heap.edges[at + j]) as [number, number, number]
      return { type: edge_types[0][type], key, to }
    })
  }

  /** A rope has two pieces. Once flattened, the first is the whole text and the second is empty. */
  isRope(node: number): boolean {
    if (this.type(node) !== 'concatenated string') return false
    const second = this.edges(node).find(
      ({ type, key }) => type === 'internal' && this.heap.strings[key] === 'second',
    )
    return second !== undefined && this.name(second.to) !== ''
  }

  private get meta(): HeapSnapshot['snapshot']['meta'] {
    return this.heap.snapshot.meta
  }

  private type(node: number): string | undefined {
    return this.meta.node_types[0][this.field(node, 'type')]
  }

  private name(node: number): string | undefined {
    return this.heap.strings[this.field(node, 'name')]
  }

  private field(node: number, field: string): number {
    return this.heap.nodes[node + this.meta.node_fields.indexOf(field)] as number
  }
}
