import * as z from 'zod';
import { newId, type PolicyId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { EnvironmentName } from '#shared/evidence/rules/shared-fields.ts';
import { type Answer, endpoint, type Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { findPolicy, readNewestVersion } from '#shared/policies/records/policies.ts';
import type { PolicyHead } from '#shared/policies/records/policy-records.ts';
import {
  changePolicy,
  createPolicy,
  digestOf,
  type PolicyChange,
  prepareVersion,
} from '#shared/policies/records/policy-writes.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { POLICY_FILE, readPolicyFile } from './policy-file.ts';
import { refuseUnknownControls } from './unknown-controls.ts';

/** The most characters of a description and of a comment, far below the size limit of an item. */
const LONGEST_NOTE = 10_000;

const PolicyReport = z
  .object({
    name: EnvironmentName,
    description: z.string().max(LONGEST_NOTE).nullish(),
    comment: z.string().max(LONGEST_NOTE).nullish().meta({ description: 'Of the version that the file makes, if any' }),
    type: z.literal('env').nullish(),
  })
  .meta({ id: 'PolicyReport', description: 'An environment policy, whose text comes as a file.' });

/** The content of the request after it was checked. */
interface GivenPolicy {
  name: string;
  description: string | null | undefined;
  version: { text: string; comment: string; controls: readonly string[] };
}

type PutRequest = Pick<Request, 'org' | 'caller' | 'receivedAt' | 'idempotency'>;
type Outcome = 'done' | 'again' | EarlierRequest;

/** Creates a policy or updates it (`rules/policies.md#save-a-policy`). */
export const putPolicy = endpoint({
  operation: 'putPolicy',
  method: 'PUT',
  path: '/policies/{org}',
  summary: 'Create an environment policy, or update it',
  description:
    'A text that differs from the newest one makes a new version, which no later request changes. The same text makes no version; then only the description is updated.',
  access: 'member',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'multipart', part: 'payload', schema: PolicyReport, files: [POLICY_FILE] },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  makes: { at: '/policies/{org}/{policy}', id: 'policy' },
  errors: [],
  checks: [({ files }) => readPolicyFile(files)],
  uses: {
    writes: ['POLICYNAME', 'POLICY', 'CONTROLPOLICY', 'CATALOGUE', 'BODY', 'AUDIT'],
    removes: ['CONTROLPOLICY'],
    bucket: ['bodies:write'],
  },
  handler: async (request, services) => {
    const { body, files, org } = request;
    const { name, description, comment } = body;
    const { text, controls } = readPolicyFile(files);
    await refuseUnknownControls(services.table, org, controls);
    const given = { name, description, version: { text, comment: comment ?? '', controls: [...controls.keys()] } };
    const made = { policy: name };
    let answer = ok(200, made);
    const outcome = await retrying(async () => {
      const head = await findPolicy(services.table, org.id, name);
      answer = ok(head ? 200 : 201, made);
      return head ? update(request, head, given, services, answer) : create(request, given, services, answer);
    });
    return written(answer, outcome);
  },
});

async function create(request: PutRequest, given: GivenPolicy, services: Services, answer: Answer): Promise<Outcome> {
  const { table, objects, clock } = services;
  const { org, caller, idempotency } = request;
  const at = clock.now();
  const policy = { id: newId<PolicyId>(at), name: given.name, description: given.description ?? '' };
  const version = prepareVersion(objects, org.id, policy.id, given.version);
  await version.text.upload();
  const claim = claimWrites(idempotency, answer, at);
  const audited = {
    kind: 'policy.created',
    subject: { type: 'policy', id: policy.id, name: policy.name },
    after: { version: 1, description: policy.description },
  } as const;
  return createPolicy(table, org.id, policy, version, { at, by: caller.name }, auditing(request, audited, claim));
}

async function update(
  request: PutRequest,
  head: PolicyHead,
  given: GivenPolicy,
  { table, objects, clock }: Services,
  answer: Answer,
): Promise<Outcome> {
  const { org, caller, idempotency } = request;
  const stamp = { at: clock.now(), by: caller.name };
  const claim = claimWrites(idempotency, answer, stamp.at);
  const change: PolicyChange = { description: given.description ?? head.description };
  if (digestOf(given.version.text) !== head.digest) {
    const prepared = prepareVersion(objects, org.id, head.id, given.version);
    const [newest] = await Promise.all([readNewestVersion(table, org.id, head), prepared.text.upload()]);
    change.version = { prepared, newest };
  } else if (change.description === head.description) return claimAlone(table, claim);
  const audited = {
    kind: 'policy.changed',
    subject: { type: 'policy', id: head.id, name: head.name },
    before: { version: head.version, description: head.description },
    after: { version: head.version + (change.version ? 1 : 0), description: change.description },
  } as const;
  return changePolicy(table, org.id, head, change, stamp, auditing(request, audited, claim));
}
