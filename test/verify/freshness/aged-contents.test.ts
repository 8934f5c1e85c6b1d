import { describe, expect, it } from 'vitest';
import { Fault } from '#verify/fault.ts';
import { agedContent } from '#verify/freshness/aged-contents.ts';

const AT = 1_800_000_000_000_000;

/** The text of a content with one artifact that runs, one policy and one rule. */
const contentOf = (outcomes: string, changed: object = {}, maxAge = 'P30D'): string =>
  JSON.stringify({
    rules: [{ type: 'attestation', definition: { name: 'pentest', type: 'generic', max_age: maxAge } }],
    judges: [{ policy_name: 'aged', policy_version: 1, at: AT, rules: [0] }],
    results: [[0, outcomes]],
    rows: [
      {
        name: 'web',
        fingerprint: 'f'.repeat(64),
        annotation: { type: 'unchanged', was: 1, now: 1 },
        allowed: false,
        flows: [{ name: 'web', trail: 'trail', trailName: 'run' }],
        evaluations: [0],
      },
    ],
    ...changed,
  });

/** Returns the fault of a content. Every other error fails the test. */
function faultOf(text: string): string {
  try {
    agedContent('line 1', text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `${error.place}: ${error.message.split('\n', 1)[0]}`;
  }
  throw new Error('No fault was found');
}

describe('what the content of a snapshot says of ages', () => {
  it('has the outcome of each rule with max_age, with the instant of the evaluation', () => {
    const { isLogical, results } = agedContent('line 1', contentOf(`m 0@${AT - 1}`));
    expect(isLogical).toBe(false);
    expect(results.map(({ at, outcome, text }) => [at, outcome, text()])).toEqual([
      [
        AT,
        { type: 'missing_attestation', attested: AT - 1 },
        "policy aged about attestation 'pentest' of type 'generic' of artifact web in trail run of flow web",
      ],
    ]);
  });

  it('says whether the snapshot is one of a logical environment', () => {
    expect(agedContent('line 1', contentOf('s', { members: { prod: 1 } })).isLogical).toBe(true);
  });

  it.each<[string, string, string]>([
    ['an instant that is no number', contentOf('m 0@now'), "line 1: A result names the instant '0@now', which is none"],
    ['an unknown grade', contentOf('m 0~best'), 'line 1: A result names the unknown grade best'],
    ['an unknown letter', contentOf('x'), 'line 1: policy aged decided by an age, and the content does not say as of'],
    ['a duration that is none', contentOf('s', {}, 'P1Y'), "line 1: 'P1Y' of a rule is no duration"],
    ['a result that is not there', contentOf('s', { results: [] }), 'line 1: the content names part 0 of 0'],
    ['a policy that is not there', contentOf('s', { judges: [] }), 'line 1: the content names part 0 of 0'],
    ['a text that is no JSON', '{', 'line 1: the text of the body is not JSON'],
    ['members of another form', contentOf('s', { members: 1 }), 'line 1: the record has another form'],
  ])('is a fault that names the place if it has %s', (_, text, fault) => {
    expect(faultOf(text)).toContain(fault);
  });
});
