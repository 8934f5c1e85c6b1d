import * as z from 'zod';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { refuseLongAnswer } from '#shared/environments/limits/shown-limit.ts';
import { archivedEnvironment, tooManyResults, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { dryRunPolicy as dryRun } from '#shared/environments/snapshots/dry-run-policy.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { PolicyDecisionOut } from '#shared/policies/rules/decision-schema.ts';
import { PolicyName } from '#shared/policies/rules/policy-name.ts';
import { reasonsOf } from '#shared/policies/rules/reasons.ts';
import { decisionOf } from '#shared/policies/rules/results.ts';
import { POLICY_FILE, readPolicyFile } from './policy-file.ts';

/** The most artifacts that an answer describes (rules/policies.md#dry-run-of-a-policy). */
const MOST_ARTIFACTS = 100;

const PolicyTrial = z
  .object({
    name: PolicyName.meta({ description: 'Name of the policy. Its attached version, if any, is left out' }),
    environment: AnyEnvironmentName.meta({
      description: 'Name of the environment whose running artifacts are evaluated',
    }),
  })
  .meta({ id: 'PolicyTrial', description: 'An environment policy to try, whose text comes as a file.' });

const TriedArtifact = z.object({
  name: z.string().meta({ description: 'Name of the running artifact' }),
  fingerprint: z.string().meta({ description: 'SHA-256 of the artifact; empty if it is unknown' }),
  compliant_now: z.boolean().nullable().meta({ description: 'Under the attached policies; null if it is unknown' }),
  compliant: z.boolean().meta({ description: 'With the tried policy' }),
  reasons: z.array(z.string()).meta({ description: 'Why the tried policy is not satisfied; empty otherwise' }),
  decision: PolicyDecisionOut.meta({ description: 'The decision of the tried policy' }),
});

const DryRunOut = z
  .object({
    environment: z.string().meta({ description: 'Present name of the environment' }),
    snapshot: z.int().meta({ description: 'Number of the newest snapshot, whose artifacts were evaluated; 0 without' }),
    running: z.int().meta({ description: 'Number of running artifacts' }),
    compliant: z.int().meta({ description: 'Number of those that are compliant with the tried policy' }),
    changed: z.int().meta({ description: 'Number of those whose verdict would change' }),
    artifacts: z.array(TriedArtifact).meta({
      description: `At most ${MOST_ARTIFACTS}: first those that would become not compliant, then the others that are not`,
    }),
  })
  .meta({ id: 'PolicyDryRun' });

/** POST /policies/{org}/dry-run: evaluates what runs under a policy that is not stored (rules/policies.md#dry-run-of-a-policy). */
export const dryRunPolicy = endpoint({
  operation: 'dryRunPolicy',
  method: 'POST',
  path: '/policies/{org}/dry-run',
  summary: 'Try an environment policy on what runs now, without storing anything',
  description: 'The file is checked as if it was saved. The answer says which verdicts would change.',
  access: 'member',
  body: { kind: 'multipart', part: 'payload', schema: PolicyTrial, files: [POLICY_FILE] },
  success: { 200: DryRunOut },
  errors: [unknownEnvironment, archivedEnvironment, tooManyResults],
  checks: [({ files }) => readPolicyFile(files)],
  uses: READ_BODIES,
  handler: async ({ body, files, org }, stores: Pick<Stores, 'table' | 'objects' | 'clock'>) => {
    const { content, controls } = readPolicyFile(files);
    const { head, artifacts } = await dryRun(stores, org, { ...body, content, controls }, 'environment');
    const shown = artifacts.slice(0, MOST_ARTIFACTS);
    refuseLongAnswer(shown.map(({ result }) => ({ evaluations: [result] })));
    return {
      status: 200,
      body: {
        environment: head.name,
        snapshot: head.index,
        running: artifacts.length,
        compliant: artifacts.filter(({ tried }) => tried).length,
        changed: artifacts.filter(({ current, tried }) => current !== tried).length,
        artifacts: shown.map(({ name, fingerprint, current, tried, flows, result }) => {
          const decision = decisionOf(result, flows);
          return {
            name,
            fingerprint,
            compliant_now: current,
            compliant: tried,
            reasons: reasonsOf([decision]),
            decision,
          };
        }),
      },
    };
  },
});
