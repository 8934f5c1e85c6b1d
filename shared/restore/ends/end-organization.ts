import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { Feature, mayAs } from '#shared/callers/roles.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import type { OrganizationRecord } from '#shared/organizations/records/directory-records.ts';
import { setFeatures, setSuspension } from '#shared/organizations/records/organization-fields.ts';
import { setGrants } from '#shared/organizations/records/sign-in-grants.ts';
import { setSignInRules } from '#shared/organizations/records/sign-in-rules.ts';
import { grantsOf, namedBy, SignInGrants, SignInRule } from '#shared/organizations/rules/sign-in-rules.ts';
import { NewSuspension } from '#shared/organizations/rules/suspension.ts';
import type { Table } from '#shared/table/table.ts';
import { type EndEntry, endOf, type Restoring, stampOfEntry } from '../context.ts';

/** What an organization allowed last: as the old table says, or as far as the newest audit entries say. */
type Allowed = Partial<Pick<OrganizationRecord, 'features' | 'signInRules' | 'signInGrants' | 'suspension'>>;

/**
 * Switches off the features, and takes away the sign-in rules and grants, that the organization lost after the instant. Suspends it if
 * it was suspended then.
 */
export async function endOrganization(restoring: Restoring, entries: readonly EndEntry[]): Promise<void> {
  for (const kind of ['features', 'sign_in_rules', 'sign_in_grants', 'suspension'] as const) {
    const entry = entries.findLast((one) => one.kind === `organization.${kind}_changed`);
    if (!entry) continue;
    const allowed = await allowedBy(restoring, entry);
    if (allowed === null) {
      await restoring.report.leaveOpen(
        endOf(restoring, entry),
        'The values of the entry were erased. Look at the setting',
      );
      continue;
    }
    await narrow(restoring, entry, NARROWED[kind], allowed);
  }
}

const Values = z.object({
  features: z.array(Feature).optional(),
  rules: z.array(SignInRule).optional(),
  domains: z.array(z.string()).optional(),
  groups: z.array(z.string()).optional(),
  suspension: NewSuspension.nullish(),
});

async function allowedBy({ from, org }: Restoring, { at, after }: EndEntry): Promise<Allowed | null> {
  const old = from && (await new Directory(from).organization(org.name));
  if (old?.id === org.id) return old;
  const { data } = Values.safeParse(after);
  if (!data) return null;
  const { features, rules, domains, groups, suspension } = data;
  return {
    ...(features && { features }),
    ...(rules && { signInRules: rules }),
    ...(domains && groups && { signInGrants: SignInGrants.parse({ domains, groups }) }),
    ...(suspension && { suspension: { ...suspension, since: at } }),
  };
}

/** Returns the organization with what it had at the instant and has still, in one of its fields. */
type Narrowing = (present: OrganizationRecord, allowed: Allowed) => OrganizationRecord;

const kept = (present: readonly string[], allowed: readonly string[]): string[] =>
  present.filter((one) => allowed.includes(one));

const NARROWED = {
  features: (present, { features = [] }) => ({
    ...present,
    features: present.features.filter((feature) => features.includes(feature)),
  }),
  sign_in_rules: (present, { signInRules = [] }) => ({
    ...present,
    ...(present.signInRules && { signInRules: present.signInRules.flatMap((rule) => lowerRule(rule, signInRules)) }),
  }),
  sign_in_grants: (present, { signInGrants }) => {
    const [before, after] = [grantsOf(present), grantsOf({ signInGrants })];
    const grants = { domains: kept(before.domains, after.domains), groups: kept(before.groups, after.groups) };
    return { ...present, ...(present.signInGrants && { signInGrants: grants }) };
  },
  suspension: (present, { suspension }) => ({ ...(suspension && { suspension }), ...present }),
} as const satisfies Record<string, Narrowing>;

/** A rule that is still there counts with the lower of its two roles. */
function lowerRule(rule: SignInRule, allowed: readonly SignInRule[]): SignInRule[] {
  const found = allowed.find((other) => isDeepStrictEqual(namedBy(other), namedBy(rule)));
  if (!found) return [];
  return [mayAs(rule.role, found.role) ? found : rule];
}

async function narrow(restoring: Restoring, entry: EndEntry, narrowed: Narrowing, allowed: Allowed): Promise<void> {
  const { stores, org, report } = restoring;
  const present = await new Directory(stores.table).organization(org.name);
  if (!present || isDeepStrictEqual(narrowed(present, allowed), present)) return;
  await report.apply(endOf(restoring, entry), async () => {
    await retrying(async () => {
      const before = await new Directory(stores.table).organization(org.name);
      return before ? store(stores.table, before, narrowed(before, allowed), entry) : 'done';
    });
  });
}

async function store(
  table: Table,
  before: OrganizationRecord,
  after: OrganizationRecord,
  entry: EndEntry,
): Promise<'done' | 'again'> {
  const stamp = stampOfEntry(entry);
  if (before.features.length !== after.features.length) return setFeatures(table, before, after.features, stamp);
  if (!isDeepStrictEqual(before.signInRules, after.signInRules)) {
    return setSignInRules(table, before, after.signInRules ?? [], stamp, []);
  }
  if (!isDeepStrictEqual(before.suspension, after.suspension))
    return setSuspension(table, before, after.suspension, stamp);
  // Grants only get fewer, so no name is held by another organization.
  const outcome = await setGrants(table, before, grantsOf(after), { stamp, mayShare: true });
  return outcome === 'again' ? outcome : 'done';
}
