import { AnyEnvironmentName } from '#shared/base/names.ts';
import { lastFailures } from '#shared/base/reasons/steps.ts';
import { timeText } from '#shared/base/texts/instants.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { type Assertion, assertArtifact } from '#shared/environments/asserts/assert-artifact.ts';
import { explainAssertion } from '#shared/environments/asserts/explain-asserts.ts';
import { reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { quote } from '../rules/quote.ts';
import { stepRow } from '../rules/step-row.ts';
import { tool } from '../tool.ts';
import { environmentCitations, fingerprintText } from './fields.ts';

/** Says whether an artifact may be released, and what is missing if not (rules/agents.md#tools). */
export const mayRelease = tool({
  name: 'may_release',
  title: 'May this artifact be released?',
  description:
    'Says whether an artifact is compliant by the present policies of an environment, or in its flows if no environment is named. If not: what is missing or failed, with the record. Takes a fingerprint or its beginning; use find for names.',
  input: {
    fingerprint: fingerprintText,
    environment: AnyEnvironmentName.min(1)
      .max(200)
      .optional()
      .describe('Name of the environment to release to. Without it: the flows decide'),
  },
  access: 'reader',
  run: async ({ services, org, host }, { fingerprint, environment }) => {
    const asserted = await assertArtifact(services, org, fingerprint, { environment });
    const place = { host, org };
    const { steps, leftOut } = await explainAssertion(reasonReading(services), place, asserted);
    const failures = lastFailures(steps);
    return {
      verdict: verdictOf(asserted, environment),
      facts: {
        fingerprint: asserted.fingerprint,
        environment: environment === undefined ? null : quote(environment),
        may_be_released: asserted.compliant,
        fresh_until: asserted.freshUntil === null ? null : timeText(asserted.freshUntil),
      },
      rows: failures.map(stepRow),
      more: leftOut,
      citations: [
        ...(environment === undefined
          ? [{ what: 'the organization', url: pageUrl(place, '/{org}', {}) }]
          : environmentCitations(place, environment)),
        ...asserted.flows.slice(0, 1).map(({ flow, presence }) => ({
          what: 'the trail of the artifact',
          url: pageUrl(place, '/{org}/flows/{flow}/trails/{trail}', { flow: flow.name, trail: presence.trail }),
        })),
      ],
    };
  },
});

function verdictOf({ fingerprint, compliant, unknown, scope }: Assertion, environment: string | undefined): string {
  const where = environment === undefined ? 'in its flows' : `for ${quote(environment)}`;
  const what = `The artifact ${fingerprint.slice(0, 12)}…`;
  if (unknown !== null) return `${what} may not be released now, its verdict ${where} is unknown: ${quote(unknown)}.`;
  if (!compliant) return `${what} may not be released: it is not compliant ${where}.`;
  const allowed = scope.kind === 'environment' && scope.allowed ? ' It is on the allow-list.' : '';
  return `${what} may be released: it is compliant ${where}.${allowed}`;
}
