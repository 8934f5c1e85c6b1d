import type { EnvironmentId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { readTags } from '#shared/series/tag-items.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { type EnvironmentFacts, EnvironmentLinks, FactsItem } from './environment-records.ts';
import { NO_ENVIRONMENT_FACTS, readFacts } from './environments.ts';
import { environmentDetailsPartition, environmentFactsKey, environmentLinksKey, environmentTagsKey } from './keys.ts';

/** What a list shows of an environment beside its entry in the catalogue. */
export interface EnvironmentDetails extends EnvironmentLinks {
  facts: EnvironmentFacts;
  tags: Record<string, string>;
}

/** Stored details of environments. They are parsed one by one, so that an unreadable one does not fail a list. */
class StoredDetails {
  readonly #items: ReadonlyMap<string, Item>;
  readonly #org: OrganizationId;

  constructor(org: OrganizationId, items: ReadonlyMap<string, Item>) {
    this.#org = org;
    this.#items = items;
  }

  /** @throws ZodError if the stored tags cannot be read */
  tagsOf(id: EnvironmentId): Record<string, string> {
    return readTags(this.#items.get(keyText(environmentTagsKey(this.#org, id))));
  }

  /** @throws ZodError as {@link tagsOf} */
  policiesOf(id: EnvironmentId): PolicyId[] {
    return this.#linksOf(id)?.policies ?? [];
  }

  /** @returns null also if the stored links cannot be read */
  readableLinksOf(id: EnvironmentId): EnvironmentLinks | null {
    const item = this.#items.get(keyText(environmentLinksKey(this.#org, id)));
    return EnvironmentLinks.safeParse(item).data ?? null;
  }

  #linksOf(id: EnvironmentId): EnvironmentLinks | null {
    const item = this.#items.get(keyText(environmentLinksKey(this.#org, id)));
    return item ? EnvironmentLinks.parse(item) : null;
  }

  /**
   * A description that is too long for the table costs a read of the bucket.
   * @returns null if the environment was archived before the details were read: every other one has links
   * @throws ZodError as {@link tagsOf}
   */
  async of(objects: Objects, id: EnvironmentId): Promise<EnvironmentDetails | null> {
    const links = this.#linksOf(id);
    if (!links) return null;
    const facts = this.#items.get(keyText(environmentFactsKey(this.#org, id)));
    return {
      ...links,
      tags: this.tagsOf(id),
      facts: facts ? await readFacts(objects, this.#org, FactsItem.parse(facts).facts) : NO_ENVIRONMENT_FACTS,
    };
  }
}

/** Reads the details of all environments, in one call per MB of them. */
export async function readAllDetails(table: Table, org: OrganizationId): Promise<StoredDetails> {
  const items = await table.query({ pk: environmentDetailsPartition(org) });
  return new StoredDetails(org, new Map(items.map((item) => [keyText(item), item])));
}

/** Reads the details of some environments, in one call per 33 of them. Costs a unit for each item. */
export async function readDetails(table: Table, org: OrganizationId, ids: readonly EnvironmentId[]) {
  const keys = ids.flatMap((id) => [
    environmentFactsKey(org, id),
    environmentTagsKey(org, id),
    environmentLinksKey(org, id),
  ]);
  return new StoredDetails(org, await table.getMany(keys));
}

/** Reads the tags of environments, 100 with one call. Environments that are archived have none here. */
export async function readEnvironmentTags(
  table: Table,
  org: OrganizationId,
  ids: readonly EnvironmentId[],
): Promise<Map<EnvironmentId, Record<string, string>>> {
  const details = new StoredDetails(org, await table.getMany(ids.map((id) => environmentTagsKey(org, id))));
  return new Map(ids.map((id) => [id, details.tagsOf(id)]));
}
