import { COVERED, type CoveredKind, type CoveredName, isCovered } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { Fault } from '../fault.ts';

/** Stands for no record, where others have a digest. */
const ABSENT = '';

interface Said {
  /** By digest: how many entries left it behind, minus how many replaced it. The digest of the newest one has 1. */
  balance: Map<string, number>;
  /** What entries after the checkpoint left behind. The export can have read the record before or after each of them. */
  later: Set<string>;
  isSeen: boolean;
}

/**
 * What the entries of the audit log left behind of each record (rules/verification.md#covered-records). Each entry names the
 * digest that it replaces, so the newest digest follows whatever the order of the entries in the log is.
 */
export class Covers {
  readonly #said = new Map<string, Said>();

  /** Notes what an entry names. @param isLogged whether the log has the entry, up to the checkpoint */
  add(place: string, { family, key, digest, replaces = ABSENT }: Cover, isLogged: boolean): void {
    if (!isCovered(family)) throw new Fault(place, `the entry covers a record of '${family}', which no export has`);
    const name = `${family} ${key}`;
    const said = this.#said.get(name) ?? { balance: new Map(), later: new Set(), isSeen: false };
    this.#said.set(name, said);
    const left = digest ?? ABSENT;
    if (!isLogged) {
      said.later.add(left);
      if (replaces !== ABSENT) said.later.add(replaces);
      return;
    }
    said.balance.set(left, (said.balance.get(left) ?? 0) + 1);
    said.balance.set(replaces, (said.balance.get(replaces) ?? 0) - 1);
  }

  /**
   * Verifies that a line is what the newest entry about its record left behind.
   *
   * @returns undefined if no entry names the record, which can begin without one
   */
  require(place: string, name: CoveredName, key: string, digest: string): 'proved' | 'later' | undefined {
    const said = this.#said.get(`${name} ${key}`);
    const { beginsUnsaid }: CoveredKind = COVERED[name];
    if (!said) {
      if (beginsUnsaid) return undefined;
      throw new Fault(place, `no entry of the audit log names the record ${name} ${key}`);
    }
    if (said.isSeen) throw new Fault(place, `an earlier line has the record ${name} ${key}`);
    said.isSeen = true;
    const newest = this.#newestOf(name, key, said);
    if (newest.has(digest)) return 'proved';
    if (said.later.has(digest)) return 'later';
    const expected = [...new Set([...newest, ...said.later])].map((one) =>
      one === ABSENT ? 'its removal' : `the digest ${one}`,
    );
    throw new Fault(
      place,
      `the record ${name} ${key} has the digest ${digest}, the audit log says ${expected.join(' or ')}`,
    );
  }

  isNamed(name: CoveredName, key: string): boolean {
    return this.#said.has(`${name} ${key}`);
  }

  /** Whether entries after the checkpoint name a record. */
  changedLater(name: CoveredName, key: string): boolean {
    return (this.#said.get(`${name} ${key}`)?.later.size ?? 0) > 0;
  }

  /** Verifies that no record is missing. */
  finish(): void {
    for (const [named, said] of this.#said) {
      if (said.isSeen || said.later.has(ABSENT)) continue;
      const [name = '', ...key] = named.split(' ');
      if (isCovered(name) && this.#newestOf(name, key.join(' '), said).has(ABSENT)) continue;
      throw new Fault('data/records', `no line has the record ${named}, which the audit log names`);
    }
  }

  /**
   * Returns the digest that the last entry of the log left behind. They are several only if an entry between others came
   * after the checkpoint.
   *
   * @throws Fault if the entries do not follow each other
   */
  #newestOf(name: CoveredName, key: string, { balance, later }: Said): Set<string> {
    const newest = new Set([...balance].filter(([, count]) => count > 0).map(([digest]) => digest));
    const { beginsUnsaid }: CoveredKind = COVERED[name];
    const begins = [...balance].filter(([digest, count]) => count < 0 && digest !== ABSENT);
    if (later.size === 0 && (newest.size > 1 || (begins.length > 0 && !beginsUnsaid))) {
      throw new Fault('data/records', `the entries of the audit log about ${name} ${key} do not follow each other`);
    }
    // Without a digest that is left, the record was removed, or no entry of the log names it.
    return newest.size === 0 ? newest.add(ABSENT) : newest;
  }
}
