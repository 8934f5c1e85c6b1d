import { describe, expect, it } from 'vitest';
import { findProblems, initialValues, type Values, type Write } from '#console/parts/form/model/forms.ts';
import * as recalls from '#console/signer/model/recall-form.ts';
import * as signers from '#console/signer/model/signer-form.ts';
import { newTrustRoot, trustRootWrites } from '#console/signer/trust-root-forms.ts';
import { trustRoot } from './sample-signers.ts';

const [DIGEST, OTHER] = ['a'.repeat(64), 'b'.repeat(64)];

describe('the form of a signer', () => {
  const filled = {
    by: 'certificate' as const,
    trust_root: 'sigstore-public',
    issuer: ' https://gitlab.com ',
    subjects: ['s'],
    claims: 'build_trigger = push\nbuild_trigger = tag',
    description: '',
  };

  it('sends the identity of a certificate', () => {
    expect(signers.bodyOf(filled)).toEqual({
      trust_root: 'sigstore-public',
      issuer: 'https://gitlab.com',
      subjects: ['s'],
      claims: { build_trigger: ['push', 'tag'] },
    });
  });

  it('sends no identity with a public key, and does not ask for one', () => {
    const key = { ...filled, by: 'key' as const, trust_root: 'release-key', claims: 'no pair' };
    expect(signers.bodyOf(key)).toEqual({ trust_root: 'release-key' });
    expect(signers.checkValues(key)).toEqual({});
    const shown = Object.keys(filled).filter((field) => signers.hasField('key', field));
    expect(shown).toEqual(['by', 'trust_root', 'description']);
  });

  it('says at the field what is no claim', () => {
    expect(Object.keys(signers.checkValues({ ...filled, claims: 'no pair' }))).toEqual(['claims']);
  });
});

describe('the form of a trust root', () => {
  const withValues = (write: Write, given: Values = {}): Values => ({ ...initialValues(write.fields), ...given });
  const bodyOf = (write: Write, given: Values = {}) => write.request(withValues(write, given)).body;
  const problemsOf = (write: Write, given: Values) => Object.fromEntries(findProblems(write, withValues(write, given)));

  it('sends the text of its kind only', () => {
    const texts = { name: 'k', public_key: 'PEM', trusted_root: '{}' };
    expect(bodyOf(newTrustRoot('acme', []), texts)).toEqual({ kind: 'public-key', public_key: 'PEM' });
    expect(bodyOf(newTrustRoot('acme', []), { ...texts, kind: 'sigstore' })).toEqual({
      kind: 'sigstore',
      trusted_root: '{}',
    });
  });

  it('asks for the text of its kind only, and refuses a name that is taken', () => {
    expect(problemsOf(newTrustRoot('acme', []), { name: 'k' })).toEqual({ public_key: 'Fill this in.' });
    expect(problemsOf(newTrustRoot('acme', [{ name: 'k' }]), { name: 'k', kind: 'sigstore' })).toEqual({
      name: 'There is a trust root k. Its page has a form that changes it.',
      trusted_root: 'Fill this in.',
    });
  });

  it('lets a deleted one come back as it was, and nothing else', () => {
    const writes = trustRootWrites('acme', trustRoot({ deleted: true, description: 'd' }));
    expect(writes.map(({ button }) => button)).toEqual(['Trust it again']);
    const { public_key: key } = trustRoot();
    expect(writes.map((one) => bodyOf(one))).toEqual([{ kind: 'public-key', public_key: key, description: 'd' }]);
  });
});

describe('the form of a recall', () => {
  const empty = {
    ...{ what: 'signer' as const, signer: '', run: '', builder: '', root: '', version: '', key: '' },
    ...{ bundles: [] as readonly string[], from: '', until: '', reason: ' stolen ' },
  };
  const when = { from: null, until: null, reason: 'stolen' };

  it.each([
    [{ what: 'signer', signer: ' release ', run: 'other' }, { signer: 'release' }],
    [{ what: 'run', run: 'https://ci.example/1' }, { run: 'https://ci.example/1' }],
    [{ what: 'root', root: 'own', version: '' }, { root: { name: 'own', version: null } }],
    [{ what: 'root', root: 'own', version: '2' }, { root: { name: 'own', version: 2 } }],
    [{ what: 'bundles', bundles: [DIGEST, OTHER] }, { bundles: [DIGEST, OTHER] }],
  ] as const)('sends exactly what is recalled: %j', (given, sent) => {
    expect(recalls.bodyOf({ ...empty, ...given })).toEqual({ ...when, ...sent });
  });

  it('has the field of what is recalled only', () => {
    const shown = (what: (typeof recalls.WHATS)[number][0]) =>
      Object.keys(empty).filter((field) => recalls.hasField(what, field));
    expect(shown('root')).toEqual(['what', 'root', 'version', 'from', 'until', 'reason']);
    expect(shown('key')).toEqual(['what', 'key', 'from', 'until', 'reason']);
  });

  it('takes instants in UTC, also without a zone', () => {
    const period = { from: '2026-07-01', until: '2026-07-01T12:00' };
    expect(recalls.bodyOf({ ...empty, ...period })).toMatchObject({ from: 1_782_864_000, until: 1_782_907_200 });
  });

  it('keeps an instant that nobody changed to its last digit', () => {
    const from = 1_782_864_000.000_123;
    const shown = { ...empty, from: recalls.timeText(from) };
    expect(recalls.bodyOf(shown, { from })).toMatchObject({ from });
    expect(recalls.bodyOf({ ...shown, from: '2026-07-02' }, { from })).toMatchObject({ from: 1_782_950_400 });
  });

  it('says at the field what is no instant and no version', () => {
    const wrong = { ...empty, what: 'root' as const, version: 'two', from: 'now', until: 'later' };
    expect(Object.keys(recalls.checkValues(wrong)).toSorted()).toEqual(['from', 'until', 'version']);
    expect(recalls.checkValues(empty)).toEqual({});
  });

  it('begins with the record that it is opened on', () => {
    expect(recalls.whatOf({})).toBe('signer');
    expect(recalls.whatOf({ root: { name: 'own', version: null } })).toBe('root');
    expect(recalls.whatOf({ signer: null, bundles: [DIGEST] })).toBe('bundles');
  });

  it('puts an error of the version at the version', () => {
    expect(recalls.errorPlace('root.version')).toEqual({ field: 'version' });
    expect(recalls.errorPlace('root.name')).toBeUndefined();
  });
});
