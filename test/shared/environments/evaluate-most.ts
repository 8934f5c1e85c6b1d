import { EPOCH } from '#shared/base/time.ts';
import { artifactEvaluator } from '#shared/environments/evaluate.ts';
import { MOST_CHECKS, workOf } from '#shared/environments/limits/check-limit.ts';
import { nextSnapshot } from '#shared/environments/next-content.ts';
import { contentText, readContentText } from '#shared/environments/rules/content-text.ts';
import { readStoredPolicy } from '#shared/policies/rules/policy.ts';
import { policyWork } from '#shared/policies/rules/work.ts';
import { testFingerprint, testId } from '../../support/ids.ts';

/**
 * A program that evaluates 10,000 artifacts by as many rules as one evaluation accepts, packs the content, reads it again
 * and compares it with the next report. It prints sizes as JSON. `evaluate-most.volume.test.ts` limits its memory.
 */

const ARTIFACTS = 10_000;
/** Each artifact has another subset of these attestations, so nearly all results are distinct. */
const ATTESTATIONS = 14;
const POLICIES = 2;
const RULES = 160;

const policies = Array.from({ length: POLICIES }, (_, p) => {
  const attestations = Array.from({ length: RULES }, (__, i) => ({ type: 'generic', name: `a${i % ATTESTATIONS}` }));
  const artifacts = { provenance: { required: true }, 'trail-compliance': { required: true }, attestations };
  const text = JSON.stringify({ _schema: 'https://evidence.example/schemas/policy/v1', artifacts });
  return { id: testId<never>(`p${p}`), name: `p${p}`, version: 1, content: readStoredPolicy(text) };
});

const running = Array.from({ length: ARTIFACTS }, (_, n) => ({
  name: `artifact-${n}`,
  fingerprint: testFingerprint(n.toString(16).padStart(64, '0')),
  started: [1],
}));

const { checks } = workOf(
  policyWork(policies.map(({ content }) => content)),
  running.map(({ name }) => ({ name, flows: [{ longestText: name.length, attestations: ATTESTATIONS }] })),
);
if (checks > MOST_CHECKS || checks < MOST_CHECKS * 0.8) throw new Error(`${checks} checks of ${MOST_CHECKS}`);

function evaluated() {
  const evaluate = artifactEvaluator(policies, EPOCH);
  return running.map((artifact, n) => {
    const trail = `trail-${n}`;
    const entries = Array.from({ length: ATTESTATIONS }, (_, i) => ({
      ...{ attestation_name: `a${i}`, attestation_type: 'generic', attestation_id: null },
      ...{ overridden_attestation_id: null, status: 'COMPLETE', unexpected: false },
      is_compliant: ((n >> i) & 1) === 1,
    }));
    const verdict = {
      presence: { flow: testId('flow'), trail, artifact: testId(`r${n}`), name: 'app', at: 1, first: 1 },
      flow: { name: 'flow', tags: {} },
      ...{ trail: testId(`t${n}`), commit: `c${n}`, status: 'COMPLIANT', compliant: true, reasons: [], entries },
      ...{ entry: {}, template: null },
    };
    // The evaluation reads nothing else of a verdict.
    return { ...artifact, ...evaluate(artifact, { verdicts: [verdict as never], decisions: [], allowed: false }) };
  });
}

const first = nextSnapshot(null, evaluated(), policies);
const text = contentText(first.content);
const next = nextSnapshot(readContentText(text), evaluated(), policies);
console.log(
  JSON.stringify({
    bytes: text.length,
    results: (JSON.parse(text) as { results: unknown[] }).results.length,
    needed: [first.needed, next.needed],
    state: first.state,
  }),
);
