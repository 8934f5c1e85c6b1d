import { describe, expect, it } from 'vitest';
import { changeOf } from '#console/parts/table/model/changes.ts';
import {
  periodText,
  recallListSentence,
  recallSentence,
  recallsOf,
  targetText,
} from '#console/signer/model/recalls.ts';
import { identityText, SIGNER_FIELDS, signerListSentence, signerSentence } from '#console/signer/model/signers.ts';
import { trustRootListSentence, trustRootSentence } from '#console/signer/model/trust-roots.ts';
import { recall, signer, trustRoot } from './sample-signers.ts';

describe('the sentence about a signer', () => {
  it('says who has to have proved the identity', () => {
    expect(signerSentence(signer(), false)).toBe(
      'A signature counts as one of release if its certificate has this identity, and token.actions.githubusercontent.com proved it.',
    );
  });

  it('says that a key names nobody', () => {
    const key = signer({ issuer: null, subjects: [], trust_root: 'release-key' });
    expect(signerSentence(key, false)).toBe('A signature with the public key release-key counts as one of release.');
    expect(identityText(key)).toBe('');
  });

  it('says why nothing is verified', () => {
    expect(signerSentence(signer({ trust_root: 'own' }), true)).toContain('because its trust root own is deleted');
    expect(signerSentence(signer({ deleted: true }), true)).toMatch(/^Deleted: it verifies nothing any more/);
  });

  it('counts signers that are not deleted', () => {
    expect(signerListSentence([signer(), signer({ deleted: true })])).toContain('1 signer is known.');
    expect(signerListSentence([signer({ deleted: true })])).toContain('no signature is verified');
  });
});

describe('the identity of a signer', () => {
  it('has one pattern per line: subjects, then claims', () => {
    const claims = { runner_environment: ['github-hosted'], source_repository_ref: ['refs/heads/main', 'refs/tags/*'] };
    expect(identityText(signer({ subjects: ['a@acme.example'], claims }))).toBe(
      [
        'subject = a@acme.example',
        'runner_environment = github-hosted',
        'source_repository_ref = refs/heads/main',
        'source_repository_ref = refs/tags/*',
      ].join('\n'),
    );
  });

  it('is compared between versions', () => {
    const after = signer({ version: 2, subjects: ['b@acme.example'], deleted: true });
    expect(changeOf(SIGNER_FIELDS, signer({ subjects: ['a@acme.example'] }), after)).toEqual([
      { field: 'Subjects', before: 'a@acme.example', after: 'b@acme.example' },
      { field: 'Deleted', before: 'no', after: 'yes' },
    ]);
  });
});

describe('the sentence about a trust root', () => {
  it('counts the signers that it verifies', () => {
    expect(trustRootSentence(trustRoot(), [signer(), signer({ deleted: true })])).toBe(
      'Signatures of 1 signer are verified with this public key.',
    );
    expect(trustRootSentence(trustRoot({ kind: 'sigstore', deleted: true }), [signer(), signer()])).toBe(
      'Deleted: it verifies nothing any more, also for 2 signers that name it.',
    );
  });

  it('never forgets the public root in the list', () => {
    expect(trustRootListSentence([])).toBe('Only the public root is trusted.');
    expect(trustRootListSentence([trustRoot()])).toBe('1 trust root, beside the public one.');
  });
});

describe('the sentence about a recall', () => {
  it.each([
    [{ signer: 'release' }, 'signatures of the signer release'],
    [{ run: 'https://ci.example/1' }, 'signatures of the run https://ci.example/1'],
    [{ builder: 'b' }, 'signatures about builds of b'],
    [{ root: { name: 'own', version: null } }, 'signatures that were verified with the trust root own'],
    [{ root: { name: 'own', version: 2 } }, 'signatures that were verified with version 2 of the trust root own'],
    [{ key: 'ab' }, 'signatures with the public key ab'],
    [{ bundles: ['ab'] }, 'the bundle ab'],
    [{ bundles: ['ab', 'cd'] }, '2 bundles'],
    [{}, 'nothing that can be read'],
  ])('names what is recalled: %j', (target, text) => {
    expect(targetText(recall(target))).toBe(text);
  });

  it.each([
    [null, null, 'at any time'],
    [0, null, 'from 1 Jan 1970, 00:00:00 UTC on'],
    [null, 60, 'before 1 Jan 1970, 00:01:00 UTC'],
    [0, 60, 'from 1 Jan 1970, 00:00:00 UTC until 1 Jan 1970, 00:01:00 UTC'],
  ])('names the period from %j until %j', (from, until, text) => {
    expect(periodText({ from, until })).toBe(text);
  });

  it('says whether it still recalls', () => {
    const one = recall({ signer: 'release' });
    expect(recallSentence(one)).toBe('Not to be trusted: signatures of the signer release, made at any time.');
    expect(recallSentence({ ...one, deleted: true })).toMatch(/^Deleted: it does not recall signatures/);
    expect(recallListSentence([one, { ...one, deleted: true }])).toMatch(/^1 recall:/);
    expect(recallListSentence([{ ...one, deleted: true }])).toBe('Nothing is recalled.');
  });

  it('is found for a signer and for every version of a root, unless it is deleted', () => {
    const all = [
      recall({ name: 'a', signer: 'release' }),
      recall({ name: 'b', signer: 'release', deleted: true }),
      recall({ name: 'c', root: { name: 'own', version: 1 } }),
      recall({ name: 'd', run: 'release' }),
    ];
    expect(recallsOf(all, { signer: 'release' }).map(({ name }) => name)).toEqual(['a']);
    expect(recallsOf(all, { root: 'own' }).map(({ name }) => name)).toEqual(['c']);
    expect(recallsOf(all, { signer: 'other', root: 'other' })).toEqual([]);
  });
});
