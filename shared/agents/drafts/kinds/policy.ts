import * as z from 'zod';
import { readBody } from '#shared/bodies/bodies.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { putPolicy } from '#shared/policies/put-policy.ts';
import { findPolicy, readNewestVersion } from '#shared/policies/records/policies.ts';
import { refuseUnknownControls } from '#shared/policies/refuse-unknown-controls.ts';
import { readGivenPolicy } from '#shared/policies/rules/given-policy.ts';
import { PolicyName } from '#shared/policies/rules/policy-name.ts';
import { policyText } from '../../tools/fields.ts';
import { changesBetween, draftKind } from '../draft-kind.ts';

/** In characters. */
const LONGEST_NOTE = 10_000;

/** What an agent gives. */
export const PolicyDraft = z.strictObject({
  name: PolicyName.describe('Name of the policy. A policy of this name gets a new version, else it is created'),
  policy: policyText.describe('The whole text of the policy, in YAML, version 1'),
  description: z
    .string()
    .max(LONGEST_NOTE)
    .optional()
    .describe('A text for people about the policy. Without it: as it is'),
  comment: z.string().max(LONGEST_NOTE).optional().describe('Why this version'),
});

/** A version of an environment policy (rules/policies.md#save-a-policy). */
export const policyDraft = draftKind<z.output<typeof PolicyDraft>>({
  words: 'a version of a policy',
  schema: PolicyDraft,
  subjectOf: ({ name }) => name,
  callOf: (org, { policy, ...payload }) => ({
    method: 'PUT',
    path: `/policies/${org.name}`,
    body: { payload, policy_file: policy },
  }),
  look: async ({ table, objects }, { org }, { name, policy, description, comment }) => {
    const { controls } = readGivenPolicy(policy);
    const [head] = await Promise.all([findPolicy(table, org.id, name), refuseUnknownControls(table, org, controls)]);
    const newest = head && (await readNewestVersion(table, org.id, head));
    const present = head && {
      policy: newest && (await readBody(objects, org.id, newest.body)),
      ...(description !== undefined && { description: head.description }),
    };
    return { basis: String(head?.rev ?? 0), changes: changesBetween(present ?? {}, { policy, description, comment }) };
  },
  write: async (stores, by, { name, policy: text, description, comment = '' }, basis) => {
    const { content, controls } = readGivenPolicy(text);
    const given = { name, description, text, comment, controls, maxSilence: content.maxSilence };
    const claim = ({ version }: { version: number }) => by.claim({ type: 'policy', name, version });
    await putPolicy(stores, { ...by, claim }, { ...given, revision: Number(basis) });
  },
  pageOf: (at, { name }) => pageUrl(at, '/{org}/policies/{policy}', { policy: name }),
});
