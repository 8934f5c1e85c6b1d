import { type ChainDomain, type ChainHeader, entryHash, linkEntry } from '#shared/base/proofs/hash-chain.ts';
import { EPOCH, latestOf, type Micros, micros } from '#shared/base/time.ts';
import type { Subject } from '#shared/log/rules/entry.ts';
import type { TrustRoot } from '#shared/signatures/trust-root.ts';
import type { Chains } from '../chains.ts';
import type { ExportFiles } from '../export-files.ts';
import { Fault } from '../fault.ts';
import { AgedSlots } from '../freshness/aged-slots.ts';
import { Scope, type Standing, standingAt } from '../scope.ts';
import { SignedSlots } from '../signatures/signed-slots.ts';
import { type Body, type Opening, openBody, requireOpening } from './bodies.ts';
import { Covers } from './covers.ts';
import { type Pledge, Pledges } from './pledges.ts';
import { Removals } from './removals.ts';

interface LinkRecord {
  place: string;
  subject: Subject;
  domain: ChainDomain;
  header: Omit<ChainHeader, 'org'>;
  /** In hex. */
  previous: string;
  /** The hash that the record states, in hex; audit entries state none. */
  hash?: string;
  /** The index that the record states. */
  index: number | undefined;
}

interface LoggedStatement {
  /** SHA-256 of the bytes that were signed, in hex. */
  digest: string;
  entry: Buffer;
  /** The index that the file states. */
  index: number | undefined;
}

/** What was verified of an export so far: which entries have their records, and which commitments have their texts. */
export class ProofState {
  readonly files: ExportFiles;
  readonly chains: Chains;
  readonly scope = new Scope();
  readonly removals = new Removals();
  readonly covers = new Covers();
  readonly signed = new SignedSlots();
  readonly aged = new AgedSlots();
  /** Ids of environments whose references were removed in several steps, before they were archived. */
  readonly leaving = new Set<string>();
  readonly #seen: Uint8Array;
  #newest = EPOCH;
  readonly #pledges = new Pledges();
  readonly counts = {
    proved: 0,
    'after the checkpoint': 0,
    openings: 0,
    erased: 0,
    'not covered by the log': 0,
    'bundles verified': 0,
    'bundles not verified': 0,
  };
  /** Verdicts of trails that follow from proved moments, by their words. */
  readonly verdicts = new Map<string, number>();

  /** Public roots of Sigstore that count beside the one of the verifier. */
  readonly publicRoots: readonly TrustRoot[];

  constructor(files: ExportFiles, chains: Chains, size: number, publicRoots: readonly TrustRoot[] = []) {
    this.files = files;
    this.publicRoots = publicRoots;
    this.chains = chains;
    this.#seen = new Uint8Array(size);
  }

  /**
   * Verifies that a record is the one that was logged.
   * @returns the index of its entry, or undefined if the log of the export ends before it
   */
  link({ place, subject, domain, header, previous, hash, index: stated }: LinkRecord): number | undefined {
    const entry = linkEntry(domain, Buffer.from(previous, 'hex'), { org: this.chains.org, ...header });
    const own = entryHash(entry);
    const index = this.chains.indexOf(subject);
    if (stated !== index) {
      const [line, log] = [stated, index].map((one) => (one === undefined ? 'no entry' : `entry ${one}`));
      throw new Fault(place, `the line names ${line} of the log for ${this.chains.text(subject)}, the log has ${log}`);
    }
    if (index === undefined) {
      this.counts['after the checkpoint'] += 1;
      return undefined;
    }
    const logged = this.chains.hashAt(index);
    if (!own.equals(logged) || (hash !== undefined && hash !== logged.toString('hex'))) {
      const text = `entry ${index} has the hash ${logged.toString('hex')}, this record ${own.equals(logged) ? hash : own.toString('hex')}`;
      throw new Fault(place, `${this.chains.text(subject)} is not as it was logged: ${text}`);
    }
    if (this.#seen[index]) throw new Fault(place, `the export has ${this.chains.text(subject)} twice`);
    this.#seen[index] = 1;
    this.counts.proved += 1;
    this.#newest = latestOf(this.#newest, micros(header.at));
    return index;
  }

  /** Time of the newest proved record. Verdicts that time changes are computed as of then. */
  get newest(): Micros {
    return this.#newest;
  }

  /**
   * Verifies that the log has the entry of a statement at the index that a file states.
   *
   * @returns whether the log of the export has the statement
   */
  statement(place: string, { digest, entry, index: stated }: LoggedStatement): boolean {
    const index = this.chains.indexOf({ kind: 'statement', digest });
    if (index === undefined && stated === undefined) {
      this.counts['after the checkpoint'] += 1;
      return false;
    }
    if (stated === undefined) throw new Fault(place, `the file names no entry of the log, the log has entry ${index}`);
    if (index === undefined || stated !== index || !entryHash(entry).equals(this.chains.hashAt(index))) {
      throw new Fault(place, `the log does not have this statement as entry ${stated}`);
    }
    return true;
  }

  /** Verifies the record of a statement. @returns whether the log of the export has the statement */
  statementRecord(place: string, statement: LoggedStatement): boolean {
    if (!this.statement(place, statement)) return false;
    const { index = 0, digest } = statement;
    if (this.#seen[index]) throw new Fault(place, `the export has statement ${digest} twice`);
    this.#seen[index] = 1;
    this.counts.proved += 1;
    return true;
  }

  /** Verifies that a text is the one under a commitment, and counts it. @param name of the commitment @throws Fault */
  open(place: string, name: string, opening: Opening, expected: string | undefined): void {
    requireOpening(place, name, opening, expected);
    this.counts.openings += 1;
  }

  /** Notes that another line has the text under a commitment. @param key what both lines name */
  pledge(key: string, pledge: Pledge): void {
    this.#pledges.add(key, pledge);
  }

  /**
   * Verifies the text under a commitment that {@link pledge} noted. Without one, the log does not cover the record.
   *
   * @param repeats digest of what the line repeats of its entry, in hex
   */
  async openPledged(place: string, key: string, body: Body, repeats?: string): Promise<Standing | undefined> {
    const opened = await openBody(this.files, place, body);
    const pledge = this.pledged(place, key, repeats);
    if (!pledge) {
      this.counts['not covered by the log'] += 1;
      return undefined;
    }
    const { name, commitment, index } = pledge;
    if (opened) {
      this.open(place, name, opened, commitment);
      return standingAt(index);
    }
    return this.erased(place, index, name);
  }

  /**
   * Returns the commitment to the text of a line, and notes that the export has the text.
   *
   * @param repeats digest of what the line repeats of its entry, in hex
   * @returns undefined if no entry of the export commits to the text
   */
  pledged(place: string, key: string, repeats?: string): Pledge | undefined {
    const pledge = this.#pledges.get(key);
    if (!pledge) return undefined;
    // Fields that were replaced while the export was made can be exported before and after.
    if (pledge.isOpened && pledge.name !== 'fields') throw new Fault(place, 'an earlier line has this record');
    this.#pledges.open(pledge);
    if (pledge.repeats !== repeats) {
      throw new Fault(place, `the record does not have the facts of ${this.#entryText(pledge)}`);
    }
    return pledge;
  }

  /**
   * Verifies that a text was erased by a command.
   *
   * @param index index of the entry that commits to the text; undefined if it came after the checkpoint
   */
  erased(place: string, index: number | undefined, name: string): Standing {
    this.counts.erased += 1;
    if (index === undefined) return 'later';
    return this.removals.require(place, this.chains.hashAt(index).toString('hex'), name);
  }

  /** Whether the log of the export has the entry that commits to a text. @param key as in {@link pledge} */
  isLogged(key: string): boolean {
    return this.#pledges.get(key)?.index !== undefined;
  }

  #entryText({ index }: Pledge): string {
    return index === undefined ? 'its entry' : this.chains.describe(index);
  }

  /** Verifies that every entry had its record, and every commitment its text. */
  finish(): void {
    const index = this.#seen.indexOf(0);
    if (index >= 0) {
      throw new Fault('data/records', `entry ${index} of the log has no record: ${this.chains.describe(index)}`);
    }
    const closed = this.#pledges.firstClosed();
    if (!closed) return;
    const what = `no line has the text under the commitment '${closed.name}' of ${this.#entryText(closed)}`;
    throw new Fault('data/records', what);
  }
}
