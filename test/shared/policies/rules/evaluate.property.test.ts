import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PolicyDecision } from '#shared/policies/rules/decision-schema.ts';
import type { FlowContext, JudgedArtifact } from '#shared/policies/rules/evaluate.ts';
import { type AnswerWord, aContext, anEntry, aPolicy, evaluationOf, judge } from './policies.ts';

const conditions = fc.constantFrom(
  null,
  'true',
  'false',
  'exists(flow)',
  'flow.tags.kind == "build"',
  'flow.tags.kind != "build"',
  'matches(artifact.name, "^a")',
  // Fail at evaluation.
  'flow.tags.kind',
  'not artifact.name',
);

const exceptions = fc.array(fc.record({ if: conditions }), { maxLength: 2 });
const booleanRules = fc.record({ required: fc.boolean(), exceptions });

const attestationRules = fc.oneof(
  fc.record({
    type: fc.constantFrom('junit', 'snyk', 'custom:x'),
    name: fc.constantFrom('*', 'a', 'b'),
    if: conditions,
    must_be_compliant: fc.boolean(),
  }),
  fc.record({ type: fc.constant('decision'), for_control: fc.constantFrom('C-1', 'C-2'), if: conditions }),
);

const policies = fc.record({
  provenance: booleanRules,
  'trail-compliance': booleanRules,
  attestations: fc.array(attestationRules, { maxLength: 3 }),
});

const entries = fc.array(
  fc
    .record({
      attestation_name: fc.constantFrom('a', 'b'),
      attestation_type: fc.constantFrom('junit', 'snyk', 'custom:x'),
      is_compliant: fc.constantFrom(true, false, null),
    })
    .map((more) => anEntry({ ...more, status: more.is_compliant === null ? 'MISSING' : 'COMPLETE' })),
  { maxLength: 4 },
);

const contexts: fc.Arbitrary<FlowContext> = fc
  .record({
    flow: fc.record({
      name: fc.constantFrom('web', 'api'),
      tags: fc.constantFrom<Record<string, string>>({}, { kind: 'build' }, { kind: 'release' }),
    }),
    artifactStatus: fc.constantFrom('COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'),
    entries,
  })
  .map(aContext);

const artifacts: fc.Arbitrary<JudgedArtifact> = fc.record({
  name: fc.constantFrom('a', 'b'),
  fingerprint: fc.constantFrom('', 'ab'.repeat(32)),
  contexts: fc.array(contexts, { maxLength: 3 }),
});

/** One answer per control, for the whole organization. */
const answers = fc
  .record<Record<string, AnswerWord>>({
    'C-1': fc.constantFrom('satisfied', 'non_compliant', 'missing'),
    'C-2': fc.constantFrom('satisfied', 'non_compliant', 'missing'),
  })
  .map(
    (byControl) =>
      ({ control }: { control: string }) =>
        byControl[control] ?? 'missing',
  );

/** Whether each rule is satisfied or ignored. */
const holds = (decision: PolicyDecision) => decision.rule_evaluations.map(({ satisfied }) => satisfied !== false);

describe('the evaluation of any artifact under any policy', () => {
  test('lists every rule in order and every context in each, and its parts agree', () => {
    fc.assert(
      fc.property(policies, artifacts, answers, (policy, artifact, answer) => {
        const decision = judge(aPolicy(policy), artifact, answer);
        expect(decision.rule_evaluations.map(({ rule }) => rule.type)).toEqual([
          'provenance',
          'trail-compliance',
          ...policy.attestations.map(() => 'attestation'),
        ]);
        for (const { satisfied, ignored, resolutions } of decision.rule_evaluations) {
          expect(resolutions.map(({ context }) => context.flow_name)).toEqual(
            artifact.contexts.length > 0 ? artifact.contexts.map(({ flow }) => flow.name) : [null],
          );
          const types = resolutions.map(({ type }) => type);
          expect(ignored).toBe(satisfied === null);
          expect(ignored).toBe(types.every((type) => type === 'rule_not_applicable'));
          expect(satisfied === false).toBe(
            types.some((type) => type !== 'rule_not_applicable' && type !== 'rule_satisfied'),
          );
        }
        expect(decision.status === 'COMPLIANT').toBe(holds(decision).every(Boolean));
      }),
    );
  });

  test('a further context that satisfies all rules never makes a compliant artifact non-compliant', () => {
    /** A context that satisfies every rule. */
    const well = aContext({
      flow: { name: 'well', tags: { kind: 'build' } },
      entries: ['a', 'b'].flatMap((attestation_name) =>
        ['junit', 'snyk', 'custom:x'].map((attestation_type) => anEntry({ attestation_name, attestation_type })),
      ),
    });
    const compliant = fc.tuple(policies, artifacts, answers).filter(([policy, artifact, answer]) => {
      // The first context of an artifact without a flow replaces the context null.
      return artifact.contexts.length > 0 && judge(aPolicy(policy), artifact, answer).status === 'COMPLIANT';
    });
    const withoutControls = compliant.map(
      ([policy, ...others]) =>
        [
          { ...policy, attestations: policy.attestations.filter((rule) => !('for_control' in rule)) },
          ...others,
        ] as const,
    );
    fc.assert(
      fc.property(withoutControls, fc.nat(3), ([policy, artifact, answer], at) => {
        const more = artifact.contexts.toSpliced(at, 0, well);
        expect(judge(aPolicy(policy), { ...artifact, contexts: more }, answer).status).toBe('COMPLIANT');
      }),
    );
  });

  test('one context that fails is enough, whatever the others are', () => {
    fc.assert(
      fc.property(policies, artifacts, contexts, answers, (policy, artifact, context, answer) => {
        const alone = judge(aPolicy(policy), { ...artifact, contexts: [context] }, answer);
        const among = judge(aPolicy(policy), { ...artifact, contexts: [...artifact.contexts, context] }, answer);
        for (const [i, held] of holds(alone).entries()) if (!held) expect(holds(among)[i]).toBe(false);
      }),
    );
  });

  test('a further exception only waives: no satisfied rule fails, and other rules do not change', () => {
    fc.assert(
      fc.property(policies, artifacts, answers, conditions, (policy, artifact, answer, condition) => {
        const { provenance } = policy;
        const more = { ...provenance, exceptions: [...provenance.exceptions, { if: condition }] };
        const before = judge(aPolicy(policy), artifact, answer);
        const after = judge(aPolicy({ ...policy, provenance: more }), artifact, answer);
        if (holds(before)[0]) expect(holds(after)[0]).toBe(true);
        expect(after.rule_evaluations.slice(1)).toEqual(before.rule_evaluations.slice(1));
        for (const [i, { type }] of evaluationOf(after, 'provenance').resolutions.entries()) {
          const was = evaluationOf(before, 'provenance').resolutions[i]?.type;
          expect(type === was || type === 'rule_not_applicable').toBe(true);
        }
      }),
    );
  });

  test('a further rule never turns non-compliant into compliant', () => {
    fc.assert(
      fc.property(policies, artifacts, answers, attestationRules, (policy, artifact, answer, rule) => {
        const before = judge(aPolicy(policy), artifact, answer);
        const stricter = aPolicy({ ...policy, attestations: [...policy.attestations, rule] });
        if (before.status === 'NON-COMPLIANT') {
          expect(judge(stricter, artifact, answer).status).toBe('NON-COMPLIANT');
        }
      }),
    );
  });

  test('does not depend on earlier evaluations of the same policy', () => {
    fc.assert(
      fc.property(policies, fc.array(artifacts, { maxLength: 5 }), answers, (policy, list, answer) => {
        const shared = aPolicy(policy);
        const inARow = list.map((artifact) => judge(shared, artifact, answer));
        const backwards = list.toReversed().map((artifact) => judge(shared, artifact, answer));
        const alone = list.map((artifact) => judge(aPolicy(policy), artifact, answer));
        expect(inARow).toEqual(alone);
        expect(backwards.toReversed()).toEqual(alone);
      }),
    );
  });

  test('does not depend on the order of contexts, apart from the order of resolutions', () => {
    fc.assert(
      fc.property(policies, artifacts, answers, (policy, artifact, answer) => {
        const content = aPolicy(policy);
        const turned = judge(content, { ...artifact, contexts: artifact.contexts.toReversed() }, answer);
        const restored = turned.rule_evaluations.map((evaluation) => ({
          ...evaluation,
          resolutions: evaluation.resolutions.toReversed(),
        }));
        expect({ ...turned, rule_evaluations: restored }).toEqual(judge(content, artifact, answer));
      }),
    );
  });
});
