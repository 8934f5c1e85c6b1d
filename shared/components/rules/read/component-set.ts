import { SbomUnreadable } from '#shared/evidence/rules/sbom/summary.ts';
import type { Component, ComponentsRead } from '../component.ts';

/** Most components of an SBOM. Entries of the same component count once. */
const MOST_COMPONENTS = 50_000;

/** The algorithms of digests that are read, with the number of their hex digits. */
const ALGORITHMS = { sha1: 40, sha256: 64, sha512: 128 } as const;

type Depth = Component['depth'];

/** A component as one entry of a file says it. */
export interface ComponentEntry {
  purl: string | null;
  name: string;
  version: string | null;
  /** As the file names algorithms: `SHA-256`, `SHA256`, `sha256`. */
  digests: readonly (readonly [algorithm: unknown, value: unknown])[];
  depth: Depth;
}

interface Merged {
  purl: string | null;
  name: string;
  version: string | null;
  /** All digests that entries of the component have, as `sha256:…`. */
  digests: Set<string> | null;
  depth: Depth;
}

/**
 * Collects the components of one SBOM (rules/components.md#same-component). Entries with the same package URL are one component, and
 * so are entries without one that have the same name and version. The order of entries does not matter.
 */
export class ComponentSet {
  readonly #components = new Map<string, Merged>();

  /** @throws SbomUnreadable if the set would have more than 50,000 components */
  add(entry: ComponentEntry): void {
    const key = keyOf(entry);
    const known = this.#components.get(key);
    if (known) merge(known, entry);
    else if (this.#components.size === MOST_COMPONENTS) {
      throw new SbomUnreadable(`The SBOM has more than ${MOST_COMPONENTS} components`);
    } else {
      const { purl, name, version, depth } = entry;
      this.#components.set(key, { purl, name, version, digests: digestsOf(entry, null), depth });
    }
  }

  /** Removes a component: a file may list its subject among its components. */
  remove(identity: Pick<ComponentEntry, 'purl' | 'name' | 'version'>): void {
    this.#components.delete(keyOf(identity));
  }

  /** Returns the components by package URL, name and version. Components without a package URL are last. */
  read(format: string): ComponentsRead {
    const components = [...this.#components.values()].map(componentOf);
    return { format, components: components.toSorted(compareComponents) };
  }
}

const keyOf = ({ purl, name, version }: Pick<ComponentEntry, 'purl' | 'name' | 'version'>): string =>
  purl === null ? `n\n${name}\n${version === null ? '' : `v${version}`}` : `p\n${purl}`;

function merge(known: Merged, entry: ComponentEntry): void {
  if (compareTexts(entry.name, known.name) < 0) known.name = entry.name;
  if (compareTexts(entry.version, known.version) < 0) known.version = entry.version;
  known.digests = digestsOf(entry, known.digests);
  if (known.depth !== 'direct' && entry.depth !== null) known.depth = entry.depth;
}

/** Adds the digests of an entry to those of its component. A value that is no digest of its algorithm is left out. */
function digestsOf({ digests }: ComponentEntry, known: Set<string> | null): Set<string> | null {
  let all = known;
  for (const [algorithm, value] of digests) {
    if (typeof algorithm !== 'string' || typeof value !== 'string') continue;
    const name = algorithm.replace('-', '').toLowerCase();
    const digest = value.trim().toLowerCase();
    if (!isAlgorithm(name) || digest.length !== ALGORITHMS[name] || !/^[a-f0-9]+$/.test(digest)) continue;
    all ??= new Set();
    all.add(`${name}:${digest}`);
  }
  return all;
}

const isAlgorithm = (name: string): name is keyof typeof ALGORITHMS => Object.hasOwn(ALGORITHMS, name);

function componentOf({ purl, name, version, digests, depth }: Merged): Component {
  const agreed: Record<string, string> = {};
  for (const algorithm of Object.keys(ALGORITHMS)) {
    const [first, ...others] = [...(digests ?? [])].filter((one) => one.startsWith(`${algorithm}:`));
    // Entries that contradict each other say nothing about the digest.
    if (first !== undefined && others.length === 0) agreed[algorithm] = first.slice(algorithm.length + 1);
  }
  return { purl, name, version, digests: agreed, depth };
}

const compareComponents = (one: Component, other: Component): number =>
  compareTexts(one.purl, other.purl) || compareTexts(one.name, other.name) || compareTexts(one.version, other.version);

/** Compares by UTF-16 code units, as sorting does everywhere without a language. Null is last. */
function compareTexts(one: string | null, other: string | null): number {
  if (one === other) return 0;
  if (one === null) return 1;
  if (other === null) return -1;
  return one < other ? -1 : 1;
}
