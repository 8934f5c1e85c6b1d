import * as z from 'zod';
import { durationField } from '#shared/base/texts/durations.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { ControlIdentifier } from '#shared/evidence/rules/shared-fields.ts';
import { ABOUT, EvidenceRequest, fitsKind, ScopeRequest } from './kind-request.ts';
import type { GivenExpectation } from './put-expectation.ts';
import type { GivenScope } from './resolve-scope.ts';
import { DUE_SOON, EVERY, ExpectationName, GRACE, KINDS, PER, SELECTORS, SEVERITIES } from './rules/expectation.ts';

/** What requests say about an expectation (rules/expectations.md#fields). */

const LONGEST_OWNER = 255;
/** The beginning of the year 2100. */
const LATEST_START = 4_102_444_800;

export const ExpectationRequest = z
  .strictObject({
    name: ExpectationName.describe('Name of the expectation. An existing expectation of this name gets a new version'),
    kind: z.enum(KINDS).describe(ABOUT.kind),
    scope: ScopeRequest.describe(ABOUT.scope),
    evidence: EvidenceRequest.nullish().describe(`Of \`evidence\` only. ${ABOUT.evidence}`),
    per: z.enum(PER).nullish().describe(`Of \`evidence\` only. ${ABOUT.per}. Absent = \`flow\``),
    control: ControlIdentifier.nullish().describe(`Of \`decision\` only. ${ABOUT.control}`),
    every: durationField(EVERY.least, EVERY.most).describe(`${ABOUT.every}, from PT1M to P400D`),
    grace: durationField(GRACE.least, GRACE.most)
      .nullish()
      .describe(`${ABOUT.grace}, from PT0S to P30D. Absent = a tenth of \`every\`, at least PT1M and at most P30D`),
    due_soon: durationField(DUE_SOON.least, DUE_SOON.most)
      .nullish()
      .describe(
        `Not of \`completion\` and \`decision\`. ${ABOUT.due_soon}; at least PT1M, and shorter than \`every\` and \`grace\` together. Absent = nobody is told before`,
      ),
    starts_at: z
      .number()
      .min(0)
      .max(LATEST_START)
      .nullish()
      .describe(`${ABOUT.starts_at}. Absent = unchanged; of a new expectation the time of the request`),
    owner: z.string().min(1).max(LONGEST_OWNER).nullish().describe(ABOUT.owner),
    severity: z
      .enum(SEVERITIES)
      .default('warning')
      .meta({ description: ABOUT.severity, override: { default: 'warning' } }),
  })
  .check(fitsKind)
  .meta({ id: 'ExpectationRequest', description: 'Replaces all that an expectation says, except `starts_at`.' });

/** What a body says, without the defaults of a save. */
export function givenExpectation(body: z.output<typeof ExpectationRequest>): GivenExpectation {
  const { name, kind, evidence, control } = body;
  // The schema lets exactly one of them pass.
  const by = SELECTORS.find((one) => evidence?.[one] !== undefined);
  return {
    name,
    kind,
    scope: givenScope(body.scope),
    ...(by && { evidence: { by, value: evidence?.[by] ?? '' }, per: body.per ?? 'flow' }),
    ...(typeof control === 'string' && { control }),
    every: body.every,
    grace: body.grace,
    dueSoon: body.due_soon ?? null,
    startsAt: body.starts_at === undefined || body.starts_at === null ? null : fromSeconds(body.starts_at),
    owner: body.owner ?? null,
    severity: body.severity,
  };
}

/** The schema lets exactly one member pass. */
function givenScope({ environments, flows, tags = {} }: z.output<typeof ExpectationRequest>['scope']): GivenScope {
  if (environments) return { environments };
  return flows ? { flows } : { tags };
}
