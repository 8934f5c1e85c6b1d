import * as z from 'zod';
import { type EnvironmentId, newId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { acrossFields, invalidField, withInput } from '#shared/base/validation.ts';
import type { EnvironmentFacts } from '#shared/environments/records/environment-records.ts';
import { newEnvironmentWrites, prepareEnvironmentFacts } from '#shared/environments/records/environment-writes.ts';
import {
  type Environment,
  NO_ENVIRONMENT_FACTS,
  readEnvironmentByName,
} from '#shared/environments/records/environments.ts';
import { EnvironmentKindField, REPORT_KINDS } from '#shared/environments/rules/environment-kinds.ts';
import { EnvironmentName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint, type Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { appendingAnswer, type ClaimOf, ok } from '#shared/http/written.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import { CHANGE_SETTINGS, changeSettings, MEMBERS_AT_ONCE, type Settings } from './change-settings.ts';
import { ONLY_LOGICAL, resolveMembers, resolvePolicies, settingsFields } from './settings.ts';

const EnvironmentReport = z
  .strictObject({
    name: EnvironmentName,
    type: EnvironmentKindField,
    ...settingsFields,
    description: z.string().nullish().meta({ description: 'An empty text leaves the present one' }),
    require_provenance: z
      .boolean()
      .nullish()
      .meta({ deprecated: true, description: 'Stored and shown, without effect' }),
  })
  .check(
    acrossFields(({ type, included_environments: names }, refuse) => {
      const takesReports = REPORT_KINDS.some((kind) => kind === type);
      if (takesReports && Array.isArray(names) && names.length > 0) {
        refuse('included_environments', withInput(ONLY_LOGICAL, names));
      }
    }),
  )
  .meta({
    id: 'CreateEnvironmentPutInput',
    anyOf: [
      { properties: { type: { const: 'logical' } } },
      { properties: { included_environments: { type: ['array', 'null'], maxItems: 0 } } },
    ],
  });
type EnvironmentReport = z.output<typeof EnvironmentReport>;

type Asked = Pick<Request, 'org' | 'caller' | 'receivedAt'>;
type Outcome = 'done' | 'again' | EarlierRequest;

/** PUT /environments/{org}: creates an environment or updates it (rules/environments.md#create-or-update). */
export const putEnvironment = endpoint({
  operation: 'putEnvironment',
  method: 'PUT',
  path: '/environments/{org}',
  summary: 'Create an environment, or update it',
  description: 'Absent and null fields stay unchanged. The type of an environment never changes.',
  access: 'snapshotter',
  row: 4,
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: EnvironmentReport },
  success: { 201: z.literal('OK') },
  makes: { at: '/environments/{org}/{env_name}', id: 'env_name' },
  appends: '/receipts/{org}/environments/{env_name}/{number}',
  errors: [unknownPolicy],
  uses: { ...CHANGE_SETTINGS, writes: [...(CHANGE_SETTINGS.writes ?? []), 'ENVNAME'] },
  handler: async (request, services) => {
    const { body, org, idempotency } = request;
    const { table, objects, clock } = services;
    const answer = ok(201, { env_name: body.name });
    const { claim, written } = appendingAnswer(answer, idempotency, () => clock.now());
    const outcome = await retrying(async (): Promise<Outcome> => {
      const [found, members] = await Promise.all([
        readEnvironmentByName(table, objects, org.id, body.name),
        resolveMembers(table, org, body.type, body.included_environments),
      ]);
      const present = found && isPresent(found, body.name) ? found : null;
      if (present && present.head.kind !== body.type) {
        const text = `The type of an environment never changes, this one is of type ${present.head.kind}`;
        throw invalidField('type', text, body.type);
      }
      const settings = { facts: factsOf(body), members, policies: await resolvePolicies(table, org, body.policies) };
      if (!present) return create(request, body, settings, services, claim);
      return changeSettings(request, present, settings, services, claim);
    });
    return written(outcome);
  },
});

/** Whether the request updates this environment. An alias or an archived name goes to a new one (rules/environments.md#names). */
const isPresent = ({ head }: Environment, name: string): boolean => head.name === name && head.archived === null;

const factsOf = ({ description, require_provenance: requireProvenance }: EnvironmentReport) => ({
  ...(description && { description }),
  ...(requireProvenance != null && { requireProvenance }),
});

async function create(
  request: Asked,
  { name, type: kind }: EnvironmentReport,
  { facts, members = [], policies = [] }: Settings,
  { table, objects, clock }: Services,
  claim: ClaimOf,
): Promise<Outcome> {
  const { org, caller } = request;
  const at = clock.now();
  const id = newId<EnvironmentId>(at);
  const all: EnvironmentFacts = { ...NO_ENVIRONMENT_FACTS, ...facts };
  const prepared = prepareEnvironmentFacts(objects, org.id, id, all);
  await prepared.upload();
  const first = members.slice(0, MEMBERS_AT_ONCE);
  const environment = { id, name, kind, at, by: caller.name, facts: prepared, policies, members: first };
  const { writes, covers } = newEnvironmentWrites(org.id, environment, again);
  const audit = auditOf(request, {
    kind: 'environment.created',
    subject: { type: 'environment', id, name },
    after: { type: kind, ...all, members: first, policies },
    covers,
  });
  if (first.length === members.length) {
    return table.transact<'again' | EarlierRequest>([...claim(), ...writes, audit]);
  }
  // The environment is created with as many members as fit into one transaction. The retry adds the rest by an update.
  await table.transact<'again'>([...writes, audit]);
  return 'again';
}
