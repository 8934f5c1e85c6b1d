import fc from 'fast-check';
import type { Component } from '#shared/components/rules/component.ts';

/** An SBOM without a format. The subject is element 0, and component `i` of the list is element `i + 1`. */
export interface Model {
  subject: { name: string; version: string | null; purl: string | null };
  components: readonly ModelComponent[];
  /** Numbers of elements: the first one depends on the second one. */
  edges: readonly (readonly [from: number, to: number])[];
}

interface ModelComponent {
  group: string | null;
  name: string;
  version: string | null;
  purl: string | null;
  sha1: string | null;
  sha256: string | null;
  sha512: string | null;
}

const word = fc.stringMatching(/^[a-z0-9&<>'".-]{1,6}$/).filter((text) => text !== 'none');
const digest = (length: number) =>
  fc.option(fc.stringMatching(new RegExp(`^[a-f0-9]{${length}}$`)), { nil: null, freq: 1 });

const component: fc.Arbitrary<ModelComponent> = fc.record({
  group: fc.option(word, { nil: null }),
  name: word,
  version: fc.option(word, { nil: null }),
  purl: fc.option(
    fc.stringMatching(/^[a-e]$/).map((name) => `pkg:npm/${name}@1?a=b&c=d`),
    { nil: null },
  ),
  sha1: digest(40),
  sha256: digest(64),
  sha512: digest(128),
});

/** Models with few names, so that entries of the same component and cycles are frequent. */
export const models: fc.Arbitrary<Model> = fc.array(component, { maxLength: 12 }).chain((components) =>
  fc.record({
    subject: fc.record({
      name: word,
      version: fc.option(word, { nil: null }),
      purl: fc.option(fc.constantFrom('pkg:npm/subject@1', 'pkg:npm/a@1?a=b&c=d'), { nil: null }),
    }),
    components: fc.constant(components),
    edges: fc.array(fc.tuple(fc.nat(components.length), fc.nat(components.length)), { maxLength: 24 }),
  }),
);

const nameOf = ({ group, name }: ModelComponent) => (group === null ? name : `${group}/${name}`);
const keyOf = (one: { purl: string | null; name: string; version: string | null }) =>
  one.purl ?? JSON.stringify([one.name, one.version]);

/** Returns how many edges are between the subject and each element, by trying every path one edge at a time. */
function distances({ components, edges }: Model): readonly number[] {
  const found = [0, ...components.map(() => Number.POSITIVE_INFINITY)];
  for (let round = 0; round <= components.length; round += 1) {
    for (const [from, to] of edges) found[to] = Math.min(found[to] ?? 0, (found[from] ?? 0) + 1);
  }
  return found;
}

const least = (texts: readonly (string | null)[]): string | null =>
  texts
    .filter((text) => text !== null)
    .reduce<string | null>((one, text) => (one === null || text < one ? text : one), null);

/** Returns what every format says of a model, in no order. */
export function expectedOf(model: Model): Component[] {
  const far = distances(model);
  const entries = model.components.map((one, i) => ({ ...one, name: nameOf(one), far: far[i + 1] ?? 0 }));
  const groups = Map.groupBy(entries, keyOf);
  groups.delete(keyOf(model.subject));
  return [...groups.values()].map((same): Component => {
    const distance = Math.min(...same.map((one) => one.far));
    const digests = (['sha1', 'sha256', 'sha512'] as const).flatMap((algorithm) => {
      const all = new Set(same.map((one) => one[algorithm]).filter((value) => value !== null));
      return all.size === 1 ? [[algorithm, [...all][0]]] : [];
    });
    return {
      purl: same[0]?.purl ?? null,
      name: least(same.map(({ name }) => name)) ?? '',
      version: least(same.map(({ version }) => version)),
      digests: Object.fromEntries(digests),
      depth: distance === Number.POSITIVE_INFINITY ? null : distance === 1 ? 'direct' : 'deeper',
    };
  });
}
