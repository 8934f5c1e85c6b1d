import { Fault } from '../fault.ts';

/**
 * The erasures that the audit log names (rules/verification.md#erased-texts). A text may be missing only if an entry of the
 * kind `evidence.erased` names the commitment that it stood under.
 */
export class Removals {
  readonly #logged = new Set<string>();
  readonly #later = new Set<string>();

  /**
   * Notes what an entry of the audit log names.
   *
   * @param removed names of commitments, by the SHA-256 of their entries of the log in hex
   * @param isLogged whether the log has the entry that names them, up to the checkpoint
   */
  add(removed: Readonly<Record<string, readonly string[]>>, isLogged: boolean): void {
    const noted = isLogged ? this.#logged : this.#later;
    for (const [hash, names] of Object.entries(removed)) for (const name of names) noted.add(`${hash} ${name}`);
  }

  /**
   * Verifies that a text was erased.
   *
   * @param hash SHA-256 of the entry that commits to the text, in hex
   * @returns `later` if the erasure itself came after the checkpoint, so that nothing proves it
   * @throws Fault if no entry names the erasure
   */
  require(place: string, hash: string, name: string): 'erased' | 'later' {
    const key = `${hash} ${name}`;
    if (this.#logged.has(key)) return 'erased';
    if (this.#later.has(key)) return 'later';
    throw new Fault(place, `the text under '${name}' is gone, and no entry of the audit log names its erasure`);
  }
}
