import { createHash } from 'node:crypto';

/**
 * Questions of an auditor on the demo data, the calls of tools that answer them, and what the answers must say. docs/questions.md has them
 * as a table, which the test compares.
 */

/** An argument whose text depends on when, or after what, it is asked. */
type Given = string | { daysAgo: number } | { found: RegExp; shown: string } | { text: string; shown: string };

interface Call {
  tool: string;
  args: Readonly<Record<string, Given>>;
}

interface Question {
  question: string;
  calls: readonly Call[];
  /** Parts of the answers. */
  says: readonly string[];
}

/** Most calls and most tokens of one question. */
export const MOST_CALLS = 3;
export const MOST_TOKENS = 8_000;

const prod = { environment: 'prod' };
const staging = { environment: 'staging' };
const daysAgo = (days: number): Given => ({ daysAgo: days });
const call = (tool: string, args: Call['args'] = {}): Call => ({ tool, args });
const evidence = (flow: string, trail: string): Call => call('trail_evidence', { flow, trail });
/** The fingerprint that the answer before holds. */
const foundArtifact: Given = { found: /fingerprint ([0-9a-f]{64})/, shown: 'the one found' };
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** The text of a policy with one rule. */
const policy = (shown: string, rule: string): Given => ({
  shown,
  text: `_schema: https://evidence.example.com/schemas/policy/environment/v1\nartifacts:\n${rule}`,
});

export const QUESTIONS: readonly Question[] = [
  {
    question: 'Is production compliant now, and if not, why?',
    calls: [call('why_not_compliant', prod)],
    says: ['The environment «prod» is not compliant: 1 of 3 artifacts', 'has no review: release-10 lacks `review`'],
  },
  {
    question: 'Which deployment made production not compliant, and who allowed it?',
    calls: [call('what_changed', prod)],
    says: ['1 changes in «prod»', 'was replaced', 'not compliant; allowed by the decision of «bob» on «RCTL-1»'],
  },
  {
    question: 'What was deployed to production in the last week, and who allowed each change?',
    calls: [call('what_changed', { ...prod, from: daysAgo(7) })],
    says: ['3 changes in «prod»', 'allowed by the decision of «bob» on «RCTL-1», the review of «bob»'],
  },
  {
    question: 'What runs in production, since when, and from which release?',
    calls: [call('what_runs', prod)],
    says: ['3 artifacts run in «prod»', 'flow «payments», trail «release-10»', 'flow «ledger», trail «release-8»'],
  },
  {
    question: 'What ran in production forty days ago?',
    calls: [call('what_runs', { ...prod, at: daysAgo(40) })],
    says: ['trail «release-5»', 'trail «release-4»', 'trail «release-6»'],
  },
  {
    question: 'Was production compliant a month ago?',
    calls: [call('why_not_compliant', { ...prod, at: daysAgo(29.5) })],
    says: ['The environment «prod» is compliant', 'none of them is not compliant'],
  },
  {
    question: 'Why was staging not compliant 19 days ago?',
    calls: [call('why_not_compliant', { ...staging, at: daysAgo(19) })],
    says: ['«debug-shell»: «no flow has a report of the artifact, and signed v1 asks for one'],
  },
  {
    question: 'Who let the debug shell run in staging, although no pipeline built it?',
    calls: [call('what_changed', { ...staging, from: daysAgo(20.5), until: daysAgo(19.5) })],
    says: ['«debug-shell» started', 'allowed by the allow-list, by «bob»'],
  },
  {
    question: 'When did the debug shell end?',
    calls: [call('what_changed', { ...staging, from: daysAgo(15.5), until: daysAgo(14.5) })],
    says: ['«debug-shell» stopped at'],
  },
  {
    question: 'Is the exception for the debug shell still in force?',
    calls: [
      call('find', { text: digestOf('debug-shell') }),
      call('may_release', { ...staging, fingerprint: foundArtifact }),
    ],
    says: ['artifact «debug-shell»', 'may be released: it is compliant for «staging». It is on the allow-list.'],
  },
  {
    question: 'May version 10 of the worker be released to Europe, and what is missing if not?',
    calls: [
      call('find', { text: 'registry.webshop.example/worker:10' }),
      call('may_release', { environment: 'eu-prod', fingerprint: foundArtifact }),
    ],
    says: ['may not be released: it is not compliant for «eu-prod»', 'release-10 lacks `review`'],
  },
  {
    question: 'Where does the artifact with this digest come from, and is it allowed in production?',
    calls: [call('find', { text: digestOf('ledger 7') }), call('may_release', { ...prod, fingerprint: foundArtifact })],
    says: [
      'registry.webshop.example/ledger:7',
      'may be released: it is compliant for «prod»',
      '/flows/ledger/trails/release-7',
    ],
  },
  {
    question: 'What is the evidence of release 10 of the payments, and what is missing?',
    calls: [evidence('payments', 'release-10')],
    says: [
      'is INCOMPLETE',
      '«review» («generic») of the trail: missing',
      '«sbom» («sbom») of the artifact «worker»: compliant',
    ],
  },
  {
    question: 'Why did release 7 of the ledger go out although its scan failed?',
    calls: [evidence('ledger', 'release-7')],
    says: [
      '«scan» («snyk») of the artifact «ledger»: compliant, by an override of «bob»',
      'The update comes with release 8 (LED-88)',
    ],
  },
  {
    question: 'Which change of production rested on an override?',
    calls: [call('what_changed', { ...prod, from: daysAgo(13), until: daysAgo(12) })],
    says: ['ledger:3d143c5» was replaced', 'allowed by the override of «bob»'],
  },
  {
    question: 'Was the newest release of the shop reviewed by a second person?',
    calls: [evidence('web', 'release-12'), call('what_changed', { ...prod, from: daysAgo(1.5) })],
    says: ['«review» («pull_request») of the trail: compliant', 'the review of «bob»'],
  },
  {
    question: 'Why was the infrastructure change 5 not compliant?',
    calls: [evidence('infra', 'change-5')],
    says: ['rule `.destroy == 0` of terraform-plan does not hold for `plan` of change-5'],
  },
  {
    question: 'Which checks of the last nightly run failed?',
    calls: [evidence('nightly', 'run-21')],
    says: [
      '1 of 216 tests failed in `system-tests`',
      '1 high finding and 2 of lower severity in `images`',
      'quality gate ERROR',
    ],
  },
  {
    question: 'Who refused promotion 3, and under which control?',
    calls: [evidence('promotion', 'promotion-3')],
    says: ['bob decided that RCTL-3 is not met, in `verdict` of promotion-3'],
  },
  {
    question: 'Why was promotion 8 denied, and by which line of which program?',
    calls: [
      evidence('promotion', 'promotion-8'),
      call('explain_evaluation', { evaluation: { found: /\/evaluations\/([0-9a-f-]+)/, shown: 'the one found' } }),
    ],
    says: ['RCTL-2 denied: `input.trail.is_compliant` is false (policy.rego, line 5)', 'receipts/webshop/evaluations/'],
  },
  {
    question: 'Was promotion 7 ever decided?',
    calls: [evidence('promotion', 'promotion-7')],
    says: ['is INCOMPLETE', '«verdict» («decision») of the trail: missing'],
  },
  {
    question: 'Which controls are there?',
    calls: [call('find', { text: 'RCTL' })],
    says: [
      '4 records',
      'control «Four eyes on every change», identifier «RCTL-1»',
      'control «Recovery exercise», identifier «RCTL-4»',
    ],
  },
  {
    question: 'Which environment stopped reporting, and since when?',
    calls: [call('gaps_and_due')],
    says: ['1 gaps in the state open', '«edge-reports» is missed by the environment «edge» since'],
  },
  {
    question: 'Until when must production report next?',
    calls: [call('gaps_and_due', { expectation: 'tier-1' })],
    says: ['0 gaps in the state open', '«tier-1» is due next at'],
  },
  {
    question: 'What do we know of the environment at the edge?',
    calls: [call('why_not_compliant', { environment: 'edge' }), call('what_runs', { environment: 'edge' })],
    says: ['The environment «edge» is unknown', '«edge-cache» since', 'no flow has reported it'],
  },
  {
    question: 'Who was told that production became not compliant?',
    calls: [call('who_was_told', prod)],
    says: ["ON_NON_COMPLIANT_ENV: «Environment 'prod' became non-compliant»", '«prod-is-red»'],
  },
  {
    question: 'Which messages about payments did not arrive?',
    calls: [call('who_was_told', { flow: 'payments' })],
    says: ['«deployment-tracker»: dead', '«team-chat»: discarded', '«release-desk»: delivered'],
  },
  {
    question: 'Which artifacts hold the library undici, and where do they run?',
    calls: [call('where_does_it_run', { purl: 'pkg:npm/undici', versions: 'vers:npm/*' })],
    says: ['10 artifacts hold it, 2 of them run', '7 artifacts run without a readable SBOM'],
  },
  {
    question: 'Does Europe run the releases that production runs?',
    calls: [call('what_runs', { environment: 'eu-prod' }), call('what_runs', prod)],
    says: ['flow «payments», trail «release-9»', 'flow «payments», trail «release-10»'],
  },
  {
    question: 'What would production lose if each artifact needed an SBOM?',
    calls: [
      call('dry_run_policy', {
        ...prod,
        name: 'sbom',
        policy: policy('each artifact has an `sbom`', '  attestations:\n    - name: sbom\n      type: sbom\n'),
      }),
    ],
    says: ['Of 3 running artifacts, 2 would get another verdict', "an attestation 'sbom' of type 'sbom' is missing"],
  },
];

/** Returns the text of an argument. @param before the answer before, and when it is asked in milliseconds since the epoch */
export function argumentOf(given: Given, { before, now }: { before: string; now: number }): string {
  if (typeof given === 'string') return given;
  if ('daysAgo' in given) return new Date(now - given.daysAgo * DAY_MILLIS).toISOString().replace(/\.\d+/, '');
  if ('text' in given) return given.text;
  const value = given.found.exec(before)?.[1];
  if (value === undefined) throw new Error(`No ${given.found} in ${before}`);
  return value;
}

const DAY_MILLIS = 86_400_000;

/** The row of a question in docs/questions.md, without its tokens. */
export function rowOf({ question, calls, says }: Question, n: number): string {
  const asked = calls.map(
    ({ tool, args }) =>
      `\`${tool}\`${Object.entries(args)
        .map(([name, given]) => ` ${name}: ${shownOf(given)}`)
        .join(',')}`,
  );
  return `| ${n + 1} | ${question} | ${asked.join('; ')} | ${says.join(' … ')} |`;
}

function shownOf(given: Given): string {
  if (typeof given === 'string') return given;
  return 'daysAgo' in given ? `${given.daysAgo} days ago` : given.shown;
}
