import type * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { type Memory, memoryOf } from '#shared/base/memory.ts';
import { absent, either, equal, onlyIf } from './expressions.ts';
import { type Item, type Key, keyText, type Table, type Write } from './table.ts';

/** The head of a record: the item that holds its present name. */
interface Head<I, N> {
  id: I;
  name: N;
}

/** How the records of one kind are named. */
interface Naming<I extends string, N extends string, H extends Head<I, N>> {
  /** Attribute of the id in the item of a name, such as `flow`. */
  kind: string;
  id: { parse(value: unknown): I };
  head: z.ZodType<H>;
  nameKey(org: OrganizationId, name: N): Key;
  headKey(org: OrganizationId, id: I): Key;
  /** Whether a record can have this name. Other names are unknown without a read, because they must not become parts of keys. */
  isName(name: N): boolean;
  /** Whether a name leads to the record whose id the item of the name holds. Default: always. */
  leadsTo?(head: H, name: N): boolean;
  /** Whether the record keeps its present name until it is renamed. Otherwise its name is not remembered. Default: always. */
  keepsName?(head: H): boolean;
  /** Whether records are never renamed or deleted. Then a batch uses remembered ids without a check. Default: no. */
  isPermanent?: boolean;
}

/**
 * The way from a name to a record: first the item of the name, then the head by the id that this item holds. If records
 * can be renamed, the item also holds `current`: true for the present name of a record, false for an alias, which another
 * record may take.
 *
 * Ids are remembered by name. With a remembered id, the read of the name is left out. The id counts only if the head that
 * is read by it still has the name (rules/storage.md#sequential-calls).
 */
export class NamedRecords<I extends string, N extends string, H extends Head<I, N>> {
  readonly #naming: Naming<I, N, H>;
  readonly #ids: Memory<I>;

  constructor(naming: Naming<I, N, H>) {
    this.#naming = naming;
    this.#ids = memoryOf<I>(`${naming.kind} name`);
  }

  /** Finds a record by its present name or an alias: two reads, or one with a remembered id. */
  find(table: Table, org: OrganizationId, name: N): Promise<H | null> {
    return this.read(
      table,
      org,
      name,
      (id) => this.readHead(table, org, id),
      (head) => head,
    );
  }

  /**
   * Reads something of a record by the record's name. With a remembered id `read` runs at once; otherwise after the read of
   * the name. With an outdated id it runs twice, and the first result is discarded.
   * @param headOf returns the head from the result of `read`
   * @returns null if the name leads to no record
   */
  async read<T>(
    table: Table,
    org: OrganizationId,
    name: N,
    read: (id: I) => Promise<T | null>,
    headOf: (found: T) => H,
  ): Promise<T | null> {
    if (!this.#naming.isName(name)) return null;
    const remembered = this.#ids.get(placeOf(org, name));
    if (remembered !== undefined) {
      const found = await read(remembered);
      if (found && this.#hasName(headOf(found), name)) return found;
      this.forget(org, name);
    }
    const item = await table.get(this.#naming.nameKey(org, name));
    const found = item ? await read(this.#idIn(item)) : null;
    if (!found || this.#naming.leadsTo?.(headOf(found), name) === false) return null;
    this.remember(org, headOf(found));
    return found;
  }

  /** Finds ids by name, with one batch read. Unknown names are left out. */
  async findIds(table: Table, org: OrganizationId, names: readonly N[]): Promise<Map<N, I>> {
    const { isName, nameKey, isPermanent } = this.#naming;
    const ids = new Map<N, I | undefined>();
    for (const name of names)
      if (isName(name)) ids.set(name, isPermanent ? this.#ids.get(placeOf(org, name)) : undefined);
    const unknown = [...ids.keys()].filter((name) => ids.get(name) === undefined);
    const items = await table.getMany(unknown.map((name) => nameKey(org, name)));
    const found = new Map<N, I>();
    for (const [name, known] of ids) {
      const item = items.get(keyText(nameKey(org, name)));
      const id = known ?? (item && this.#idIn(item));
      if (id !== undefined) found.set(name, id);
    }
    return found;
  }

  /** Reads the head of a record; null if there is none. */
  async readHead(table: Table, org: OrganizationId, id: I): Promise<H | null> {
    return this.headIn(await table.get(this.#naming.headKey(org, id)));
  }

  /** Reads the heads of records, by id, with one batch. */
  async readHeads(table: Table, org: OrganizationId, ids: readonly I[]): Promise<Map<I, H>> {
    return this.headsIn(org, ids, await table.getMany(ids.map((id) => this.#naming.headKey(org, id))));
  }

  /** Returns the heads of records that were read, by id. */
  headsIn(org: OrganizationId, ids: readonly I[], found: ReadonlyMap<string, Item>): Map<I, H> {
    const heads = new Map<I, H>();
    for (const id of ids) {
      const head = this.headIn(found.get(keyText(this.#naming.headKey(org, id))));
      if (head) heads.set(id, head);
    }
    return heads;
  }

  headIn(item: Item | undefined): H | null {
    return item ? this.#naming.head.parse(item) : null;
  }

  remember(org: OrganizationId, head: H): void {
    if (this.#naming.keepsName?.(head) !== false) this.#ids.set(placeOf(org, head.name), head.id);
  }

  forget(org: OrganizationId, name: N): void {
    this.#ids.forget(placeOf(org, name));
  }

  /**
   * Returns the write that gives a record a name. A name is free if no record has it, or if it is only an alias.
   * @param taken outcome if the name is the present name of the record with the id `holder`
   */
  claim<R>(org: OrganizationId, name: N, id: I, taken: (holder: unknown) => R): Write<R> {
    const { kind, nameKey } = this.#naming;
    return {
      put: { ...nameKey(org, name), v: 1, [kind]: id, current: true },
      ...onlyIf(either(absent(), equal({ current: false }))),
      refused: (old) => taken(old?.[kind]),
    };
  }

  /** Returns the write that makes an alias of a present name. */
  release(org: OrganizationId, name: N, id: I): Write {
    const { kind, nameKey } = this.#naming;
    return { put: { ...nameKey(org, name), v: 1, [kind]: id, current: false } };
  }

  /**
   * Returns the writes that give a record another name and keep the old one as an alias. The same transaction must change
   * the name in the head.
   */
  rename(org: OrganizationId, { id, name: old }: H, name: N): Write<'taken' | 'again'>[] {
    // If this record has the name already, another request has just renamed it.
    return [this.claim(org, name, id, (holder) => (holder === id ? 'again' : 'taken')), this.release(org, old, id)];
  }

  #idIn(item: Item): I {
    return this.#naming.id.parse(item[this.#naming.kind]);
  }

  #hasName(head: H, name: N): boolean {
    return head.name === name && this.#naming.keepsName?.(head) !== false;
  }
}

const placeOf = (org: OrganizationId, name: string): string => `${org}#${name}`;
