import { describe, expect, it } from 'vitest';
import { reasonSentence } from '#shared/base/reasons/sentence.ts';
import { micros } from '#shared/base/time.ts';
import type { RuleDefinition } from '#shared/policies/rules/decision-schema.ts';
import { type JudgedSubject, reasonChain } from '#shared/reasons/rules/reason-chain.ts';
import type { SeenAttestation, SeenEntry } from '#shared/reasons/rules/seen.ts';
import {
  asks,
  COMPLIANCE,
  decision,
  entry,
  idOf,
  LINKS,
  missing,
  PROVENANCE,
  seen,
  subject,
  trail,
} from './seen-records.ts';

const DENIED: RuleDefinition = {
  type: 'denied-component',
  definition: { if: null, purl: 'pkg:npm/lodash', versions: 'vers:npm/<4.17.21' },
};
const SBOM: RuleDefinition = { type: 'sbom', definition: { required: true, exceptions: [] } };
const NO_SBOM = { why: 'none' as const, sbom: null, version: null, more: 0 };
const found = (why: 'denied' | 'pending', version: string | null = null) => ({
  found_in_sbom: { why, sbom: 'bom', version, more: 0 },
});

const judged = (rest: Partial<JudgedSubject>) => {
  const steps = reasonChain(subject(rest), LINKS);
  return {
    kinds: steps.map(({ step, compliant }) => `${step} ${compliant}`),
    sentence: reasonSentence('worker', steps),
  };
};

describe('the chain of reasons of an artifact', () => {
  it('goes from the environment over the rule and the trail to the slot that is missing', () => {
    const place = trail('INCOMPLETE', entry('unit'), missing('review'));
    const steps = reasonChain(
      subject({ decisions: [decision(COMPLIANCE, 'non_compliant_in_trail', place)], trails: [place] }),
      LINKS,
    );
    expect(steps).toEqual([
      {
        ...{ step: 'environment', name: 'prod', says: 'prod refuses the artifact', saw: 'decided by policies' },
        ...{ html_url: 'env:prod', compliant: false },
      },
      {
        ...{ step: 'policy', name: 'strict v3', says: 'strict v3 asks that the artifact is compliant in its trail' },
        ...{ saw: 'not compliant in its trail', html_url: 'policy:strict', compliant: false },
      },
      {
        ...{ step: 'trail', name: 'release-10', says: 'the artifact is incomplete in release-10 of payments' },
        ...{ saw: 'incomplete', html_url: 'trail:payments/release-10', compliant: false },
      },
      {
        ...{ step: 'slot', name: 'unit', says: 'release-10 has `unit`', saw: 'compliant' },
        ...{ html_url: 'trail:payments/release-10', compliant: true },
      },
      {
        ...{ step: 'attestation', name: 'unit', says: '`unit` of release-10 was reported as compliant', saw: null },
        ...{ html_url: 'attestation:payments/release-10/id-unit', compliant: true },
      },
      {
        ...{ step: 'slot', name: 'review', says: 'release-10 lacks `review`', saw: 'missing' },
        ...{ html_url: 'trail:payments/release-10', compliant: false },
      },
    ]);
    expect(reasonSentence('worker', steps)).toBe('worker has no review: release-10 lacks `review`');
  });

  const failed = (name: string, rest: Partial<SeenEntry> = {}) => entry(name, { is_compliant: false, ...rest });
  const inTrail = (one: SeenEntry, attestation: Partial<SeenAttestation>) => {
    const place = trail('NON-COMPLIANT', one);
    return {
      decisions: [decision(COMPLIANCE, 'non_compliant_in_trail', place)],
      trails: [place],
      attestations: new Map([seen(one.attestation_name, attestation)]),
    };
  };
  const EVALUATION = { id: 'e1', allow: false, violations: [], decided: null };

  it.each<[what: string, given: Partial<JudgedSubject>, sentence: string]>([
    [
      'what an attestation found',
      inTrail(failed('scan'), { saw: '2 high findings' }),
      'worker fails scan: 2 high findings in `scan` of release-10',
    ],
    [
      'who reported a failure whose reason only the reporter knows',
      inTrail(failed('unit'), {}),
      'worker fails unit: bob reported `unit` of release-10 as not compliant',
    ],
    [
      'who decided about a control',
      inTrail(failed('verdict'), { control: 'RCTL-2' }),
      'worker fails verdict: bob decided that RCTL-2 is not met, in `verdict` of release-10',
    ],
    [
      'the line of the program that denied',
      inTrail(failed('verdict'), {
        control: 'RCTL-2',
        evaluation: {
          ...EVALUATION,
          decided: { file: 'policy.rego', line: 5, what: '`input.trail.is_compliant` is false' },
        },
      }),
      'RCTL-2 denied: `input.trail.is_compliant` is false (policy.rego, line 5)',
    ],
    [
      'what an evaluation says it denied',
      inTrail(failed('verdict'), {
        control: 'RCTL-2',
        evaluation: { ...EVALUATION, violations: ['one reviewer', 'b'] },
      }),
      'RCTL-2 denied: one reviewer (and 1 more)',
    ],
    [
      'an evaluation that says nothing',
      inTrail(failed('verdict'), { control: 'RCTL-2', evaluation: EVALUATION }),
      'RCTL-2 denied: the policy program does not allow it and names no violation',
    ],
    [
      'the rule of a custom type',
      inTrail(failed('plan'), {
        type: {
          name: 'terraform-plan',
          version: 2,
          rules: [
            { text: '.add >= 0', compliant: true, reason: null },
            { text: '.destroy == 0', compliant: false, reason: 'The rule did not give true' },
          ],
        },
      }),
      'worker: rule `.destroy == 0` of terraform-plan does not hold for `plan` of release-10',
    ],
    [
      'an override that says that something is not compliant',
      inTrail(failed('scan', { overridden_attestation_id: idOf('other') }), {
        override: { original: true, reason: 'the scanner was off' },
      }),
      'worker fails scan: bob overrode a passed check as not compliant on 3 Nov 2026, in `scan` of release-10: the scanner was off',
    ],
    [
      'that nobody reported the artifact, once for two rules',
      {
        decisions: [
          decision(PROVENANCE, 'missing_provenance', null),
          decision(COMPLIANCE, 'non_compliant_in_trail', null),
        ],
      },
      'no flow has a report of the artifact, and strict v3 asks for one',
    ],
    [
      'what only the policy asks for',
      {
        decisions: [decision(asks('pentest'), 'missing_attestation', trail('COMPLIANT'))],
        trails: [trail('COMPLIANT', entry('unit'))],
      },
      'release-10 of payments lacks `pentest`, which strict v3 asks for',
    ],
    [
      'that what the policy asks for was recalled',
      {
        decisions: [decision(asks('scan'), 'missing_attestation', trail('COMPLIANT'), { recalled_by: ['leak'] })],
        trails: [trail('COMPLIANT', entry('unit'))],
      },
      '`scan` of release-10 of payments was recalled by `leak`',
    ],
    [
      'that the decision on a control was recalled',
      {
        decisions: [
          decision(asks('*', 'RCTL-2'), 'missing_attestation', trail('COMPLIANT'), { recalled_by: ['leak', 'key'] }),
        ],
        trails: [trail('COMPLIANT')],
      },
      'strict v3 asks for a decision on RCTL-2, and that of release-10 was recalled by `leak` and `key`',
    ],
    [
      'a reporter that the policy does not accept',
      {
        decisions: [decision(asks('unit'), 'missing_attestation', trail('COMPLIANT'))],
        trails: [trail('COMPLIANT', entry('unit'))],
      },
      'strict v3 does not accept who reported `unit` of release-10',
    ],
    [
      'the SBOM with a denied component',
      {
        decisions: [decision(DENIED, 'denied_component', trail('COMPLIANT'), found('denied', '4.17.20'))],
        trails: [trail('COMPLIANT', entry('bom'))],
      },
      '`bom` of release-10 of payments lists pkg:npm/lodash 4.17.20, which strict v3 denies',
    ],
    [
      'the SBOM of another trail with a denied component',
      { decisions: [decision(DENIED, 'denied_component', trail('COMPLIANT'), found('denied', '4.17.20'))] },
      "strict v3 denies pkg:npm/lodash (vers:npm/<4.17.21): SBOM 'bom' lists pkg:npm/lodash 4.17.20",
    ],
    [
      'that nobody knows what an SBOM lists',
      {
        decisions: [decision(DENIED, 'unknown_components', trail('COMPLIANT'), found('pending'))],
        trails: [trail('COMPLIANT', entry('bom'))],
      },
      '`bom` of release-10 of payments is not read yet, and strict v3 denies pkg:npm/lodash (vers:npm/<4.17.21)',
    ],
    [
      'that there is no SBOM',
      {
        decisions: [decision(SBOM, 'missing_sbom', trail('COMPLIANT'), { found_in_sbom: { ...NO_SBOM } })],
        trails: [trail('COMPLIANT')],
      },
      'strict v3 asks for an SBOM that can be read, and no SBOM of it was reported',
    ],
    [
      'a control without a decision',
      {
        decisions: [decision(asks('*', 'RCTL-2'), 'missing_attestation', trail('COMPLIANT'))],
        trails: [trail('COMPLIANT')],
      },
      'no decision for RCTL-2 is recorded, and strict v3 asks for one',
    ],
    [
      'a report that states itself that the artifact is not compliant',
      inTrail(entry('unit'), {}),
      'the artifact was reported as not compliant in release-10 of payments',
    ],
  ])('quotes %s', (_, given, sentence) => {
    expect(judged(given).sentence).toBe(sentence);
  });

  it('follows a rule with a control to the latest decision on it', () => {
    const at = (seconds: number) => micros(seconds * 1_000_000);
    const decided = (id: string, compliant: boolean, seconds: number) => ({
      ...{ control: 'RCTL-2', name: 'verdict', compliant, at: at(seconds), id: idOf(id) },
    });
    const { kinds, sentence } = judged({
      decisions: [decision(asks('*', 'RCTL-2'), 'non_compliant_attestation', trail('COMPLIANT'))],
      trails: [trail('COMPLIANT')],
      controls: [decided('id-old', true, 1), decided('id-new', false, 2)],
      attestations: new Map([seen('old', { control: 'RCTL-2' }), seen('new', { control: 'RCTL-2', by: 'ann' })]),
    });
    expect(kinds).toEqual(['environment false', 'policy false', 'attestation false']);
    expect(sentence).toBe('worker fails verdict: ann decided that RCTL-2 is not met, in `verdict` of release-10');
  });

  it('says of a decision that the control refuses that it does not count', () => {
    const refused = { grade: 'stated' as const };
    const decided = { control: 'RCTL-2', name: 'verdict', compliant: true, at: micros(1_000_000), id: idOf('id-old') };
    const { kinds, sentence } = judged({
      decisions: [decision(asks('*', 'RCTL-2'), 'missing_attestation', trail('COMPLIANT'))],
      trails: [trail('COMPLIANT')],
      controls: [{ ...decided, refused }],
      attestations: new Map([seen('old', { control: 'RCTL-2', by: 'ann' })]),
    });
    expect(kinds).toEqual(['environment false', 'policy false', 'attestation false']);
    expect(sentence).toBe(
      'worker fails verdict: ann decided that RCTL-2 is met, in `verdict` of release-10, which does not count for RCTL-2',
    );
  });

  it('says of a decision that was recalled what recalled it', () => {
    const decided = { control: 'RCTL-2', name: 'verdict', compliant: true, at: micros(1_000_000), id: idOf('id-old') };
    const { sentence } = judged({
      decisions: [decision(asks('*', 'RCTL-2'), 'missing_attestation', trail('COMPLIANT'), { recalled_by: ['leak'] })],
      trails: [trail('COMPLIANT')],
      controls: [{ ...decided, refused: { grade: 'logged' as const, signer: 'ci' }, recalledBy: ['leak'] }],
      attestations: new Map([seen('old', { control: 'RCTL-2', by: 'ann' })]),
    });
    expect(sentence).toBe(
      'worker fails verdict: ann decided that RCTL-2 is met, in `verdict` of release-10, which was recalled by `leak`',
    );
  });

  it('says of a decision that counted what recalled it since', () => {
    const decided = { control: 'RCTL-2', name: 'verdict', compliant: true, at: micros(1_000_000), id: idOf('id-old') };
    const steps = reasonChain(
      subject({
        decisions: [decision(asks('*', 'RCTL-2'), 'rule_satisfied', trail('COMPLIANT'))],
        controls: [{ ...decided, recalledSince: ['leak'] }],
        attestations: new Map([seen('old', { control: 'RCTL-2', by: 'ann' })]),
      }),
      LINKS,
    );
    expect(steps.at(-1)).toMatchObject({
      says: 'ann decided that RCTL-2 is met, in `verdict` of release-10, recalled since by `leak`',
      compliant: true,
    });
  });

  it('says nothing against what is on the allow-list, and still shows what policies decided', () => {
    const place = trail('INCOMPLETE', missing('review'));
    const decisions = [decision(COMPLIANCE, 'non_compliant_in_trail', place)];
    const { kinds, sentence } = judged({
      environment: { name: 'prod', compliant: true, allowed: true },
      ...{ decisions, trails: [place] },
    });
    expect(kinds).toEqual(['environment true', 'policy false', 'trail false', 'slot false']);
    expect(sentence).toBeNull();
  });

  it('begins with the trails where no policy decides, and with nothing at all where nobody reported the artifact', () => {
    const place = trail('INCOMPLETE', missing('review'));
    expect(judged({ trails: [place] }).kinds).toEqual(['environment false', 'trail false', 'slot false']);
    expect(judged({ environment: { name: 'prod', compliant: null, allowed: false } }).kinds).toEqual([
      'environment null',
    ]);
  });

  it('shows a rule that does not apply without a verdict, and counts several reasons', () => {
    const place = trail('NON-COMPLIANT', failed('unit'), missing('review'));
    const { kinds, sentence } = judged({
      decisions: [
        decision(asks('x'), 'rule_not_applicable', place),
        decision(COMPLIANCE, 'non_compliant_in_trail', place),
      ],
      trails: [place],
    });
    expect(kinds.slice(0, 3)).toEqual(['environment false', 'policy null', 'policy false']);
    expect(sentence).toBe('worker fails unit: `unit` of release-10 was reported as not compliant (and 1 more reason)');
  });
});
