import { FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import type { LinkEntry } from '#shared/log/rules/entry.ts';
import { subjectText } from '#shared/log/rules/verify/entries.ts';
import { Fault } from '../fault.ts';

interface Link {
  place: string;
  number: number;
  hash: string;
  previous: string;
  text: string;
}

/**
 * The chains of a package. The moments of a trail begin with the first one; the snapshots of an environment begin where the package
 * begins. Each link names the hash of the one before.
 */
export class PackageChains {
  readonly #chains = new Map<string, { isWhole: boolean; links: Link[] }>();

  get size(): number {
    return this.#chains.size;
  }

  add(place: string, { subject, previous }: LinkEntry, hash: string): void {
    if (!('number' in subject)) return;
    const name = subject.kind === 'trail' ? `trail ${subject.flow} ${subject.trail}` : `env ${subject.environment}`;
    const chain = this.#chains.get(name) ?? { isWhole: subject.kind === 'trail', links: [] };
    const text = subjectText(subject);
    chain.links.push({ place, number: subject.number, hash, previous: previous.toString('hex'), text });
    this.#chains.set(name, chain);
  }

  /** @throws Fault for a gap, a link that is there twice, or one that does not name the link before */
  check(): void {
    for (const { isWhole, links } of this.#chains.values()) {
      const sorted = links.toSorted((a, b) => a.number - b.number);
      for (const [i, link] of sorted.entries()) {
        const before = sorted[i - 1];
        if (!before) requireFirst(link, isWhole);
        else requireNext(before, link, isWhole);
      }
    }
  }
}

function requireFirst({ place, number, previous, text }: Link, isWhole: boolean): void {
  if (isWhole && number !== 1) throw new Fault(place, `${text} is the first one here, and those before are missing`);
  const first = Buffer.from(FIRST_PREVIOUS).toString('hex');
  if (number === 1 && previous !== first) throw new Fault(place, `${text} is the first one and names one before`);
}

function requireNext(before: Link, link: Link, isWhole: boolean): void {
  const { place, number, previous, text } = link;
  if (number === before.number) throw new Fault(place, `an earlier line has ${text}`);
  if (number !== before.number + 1) {
    // A member of a logical environment has only those of its snapshots that the logical one names.
    if (isWhole) throw new Fault(place, `${text} follows number ${before.number}: there is a gap`);
    return;
  }
  if (previous !== before.hash) throw new Fault(place, `${text} does not name the hash of the one before`);
}
