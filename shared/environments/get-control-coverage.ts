import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readControlHead } from '#shared/controls/records/controls.ts';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { readReferencingPolicies } from '#shared/policies/records/referencing-policies.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { readAllDetails } from './records/environment-details.ts';
import { ENVIRONMENTS } from './rules/series-kinds.ts';

/**
 * Finds which environments a control covers: those with an attached policy that names it. Whether the environments comply
 * does not matter (rules/controls.md#coverage).
 *
 * @returns all environments that are not archived, sorted by name, with the attached policies that name the control
 * @throws ServiceError `not-found` if there is no such control
 */
export async function getControlCoverage({ table }: Pick<Stores, 'table'>, org: Organization, identifier: string) {
  const [head, catalogue, policies] = await Promise.all([
    readControlHead(table, org.id, identifier),
    readCatalogue(table, org.id, ENVIRONMENTS),
    readReferencingPolicies(table, org.id, identifier),
  ]);
  if (!head) throw unknownControl({ control: identifier, org: org.name });
  const details = await readAllDetails(table, org.id);
  return [...catalogue.values()]
    .map(({ id, entry }) => {
      const attached = new Set(details.policiesOf(id));
      const naming = policies.filter((policy) => attached.has(policy.id)).map((policy) => policy.name);
      return { name: String(entry['n']), kind: String(entry['k']), policies: naming };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
