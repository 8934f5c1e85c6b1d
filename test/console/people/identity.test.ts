import { expect, test } from 'vitest';
import { identitySentence } from '#console/people/model/identity.ts';

const issuer = 'https://issuer.example';
const of = (facts: object) => identitySentence({ trust: 'web', issuer, subject: 'repo:org/web', claims: {}, ...facts });

test.each([
  [
    { workflow_ref: 'org/web/ci.yml@refs/heads/main', repository: 'org/web', run_id: '7', ref: 'refs/heads/main' },
    `workflow org/web/ci.yml@refs/heads/main of org/web in run 7, proved by ${issuer}`,
  ],
  [{ project: 'group/web', run_id: '9', ref: 'main' }, `group/web in run 9 on main, proved by ${issuer}`],
  [{}, `repo:org/web, proved by ${issuer}`],
])('an identity with %o is said in a sentence', (facts, sentence) => {
  expect(of(facts)).toBe(sentence);
});
