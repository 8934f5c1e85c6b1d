import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { afterAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { groups } from '#functions/groups.ts';
import { createApp, Region } from '#infra/deployment.ts';
import { checkPolicies } from '#infra/policy-checks.ts';
import { readStages } from '#infra/stages/stages.ts';
import { writeEmptyZip } from '#infra/templates.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { temporaryFolder } from './synthesized.ts';

/** The part of the CDK's report that the tests read. */
const Report = z.object({
  pluginReports: z.array(
    z.object({
      violations: z.array(z.unknown()),
      suppressedViolations: z.array(z.looseObject({ ruleName: z.string(), reason: z.string() })),
    }),
  ),
});

const SYNTHESIS_MILLIS = 120_000;

/**
 * The CDK also validates the templates itself, which takes several seconds and reports to another entry of its report. The
 * synthesis of `npm test` does this for the same templates.
 */
vi.stubEnv('CDK_VALIDATION', 'false');
afterAll(() => void vi.unstubAllEnvs());

const root = temporaryFolder('policies-');
const zip = writeEmptyZip(root);

/** Synthesizes both regions with every optional setting. */
function synthesizeAll(
  name: string,
  groups: readonly EndpointGroup[],
  change: (region: Region) => void = () => {},
): void {
  const eu = { mailSender: 'evidence@example.com', alarmAddress: 'team@example.com', objectLock: true };
  const app = createApp({ outdir: join(root, name) });
  for (const stage of readStages({ eu, us: {} }, 'cdk.json')) {
    change(new Region(app, { stage, groups, zipOf: () => zip }));
  }
  checkPolicies(app);
  app.synth();
}

describe('the rules «AWS Solutions» of cdk-nag', () => {
  test(
    'hold in both regions, except for the findings that constructs accept with a reason',
    () => {
      synthesizeAll('accepted', groups);
      const report = Report.parse(JSON.parse(readFileSync(join(root, 'accepted', 'validation-report.json'), 'utf8')));
      const [{ violations, suppressedViolations } = { violations: ['none'], suppressedViolations: [] }] =
        report.pluginReports;
      expect(violations).toEqual([]);
      const accepted = new Set(suppressedViolations.map(({ ruleName }) => ruleName.replace(/\[.*/, '')));
      expect([...accepted].toSorted()).toEqual([
        'AwsSolutions-APIG4',
        'AwsSolutions-IAM5',
        'AwsSolutions-S1',
        'AwsSolutions-SQS3',
      ]);
      for (const { reason } of suppressedViolations) expect(reason).toMatch(/^[A-Z].{30,}\.$/);
    },
    SYNTHESIS_MILLIS,
  );

  test(
    'fail the synthesis if a construct breaks one and does not accept the finding',
    () => {
      const open = () => synthesizeAll('broken', [], ({ stateful }) => new CfnBucket(stateful, 'Open', {}));
      expect(open).toThrow('AwsSolutions-S10');
    },
    SYNTHESIS_MILLIS,
  );
});
