import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import { type PolicyPut, PUT_POLICY, putPolicy as put } from '#shared/policies/put-policy.ts';
import { PolicyName } from '#shared/policies/rules/policy-name.ts';
import { POLICY_FILE, readPolicyFile } from './policy-file.ts';

/** The most characters of a description and of a comment, far below the size limit of an item. */
const LONGEST_NOTE = 10_000;

const PolicyReport = z
  .object({
    name: PolicyName.describe('Name of the policy. An existing policy of this name gets a new version'),
    description: z.string().max(LONGEST_NOTE).nullish().describe('A text for people'),
    comment: z.string().max(LONGEST_NOTE).nullish().meta({ description: 'Of the version that the file makes, if any' }),
    type: z.literal('env').nullish().describe('Type of the policy: `env`'),
  })
  .meta({ id: 'PolicyReport', description: 'An environment policy, whose text comes as a file.' });

/** Creates a policy or updates it (`rules/policies.md#save-a-policy`). */
export const putPolicy = endpoint({
  operation: 'putPolicy',
  method: 'PUT',
  path: '/policies/{org}',
  summary: 'Create an environment policy, or update it',
  description:
    'A text that differs from the newest one makes a new version, which no later request changes. The same text makes no version; then only the description is updated.',
  access: 'member',
  body: { kind: 'multipart', part: 'payload', schema: PolicyReport, files: [POLICY_FILE] },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  makes: { at: '/policies/{org}/{policy}', id: 'policy' },
  checks: [({ files }) => readPolicyFile(files)],
  uses: PUT_POLICY,
  handler: async (request, stores: Stores) => {
    const { name, description, comment } = request.body;
    const { text, content, controls } = readPolicyFile(request.files);
    const { maxSilence } = content;
    return answerWrite(
      request,
      (by) => put(stores, by, { name, description, text, maxSilence, comment: comment ?? '', controls }),
      ({ isNew }: PolicyPut) => ok(isNew ? 201 : 200, { policy: name }),
    );
  },
});
