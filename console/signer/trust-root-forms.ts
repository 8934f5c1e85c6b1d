import { area, choice, code, line, type Values, type Write, write } from '../parts/form/model/forms.ts';
import { refuseTaken } from '../parts/form/model/taken.ts';
import { NAME_NOTE } from './model/names.ts';
import { deleteTrustRoot, putTrustRoot, type TrustRoot } from './operations.ts';
import { versionedWrites } from './versioned-writes.ts';

/** Writes about trust roots (rules/verified-evidence.md#stored-trust-roots). */

function fieldsOf(before?: TrustRoot) {
  return {
    kind: choice(
      'Kind',
      [
        ['public-key', 'a public key'],
        ['sigstore', 'authorities and logs of Sigstore'],
      ],
      { initial: before?.kind === 'sigstore' ? 'sigstore' : 'public-key' },
    ),
    public_key: code('Public key', {
      initial: before?.public_key ?? '',
      note: 'The PEM text, from BEGIN PUBLIC KEY to END PUBLIC KEY. ECDSA on P-256 or P-384, Ed25519, or RSA of at least 2048 bits.',
    }),
    trusted_root: code('Trust root', {
      initial: before?.trusted_root ?? '',
      note: 'The text of a trusted_root.json, or several as JSON lines, as «gh attestation trusted-root» prints them.',
    }),
    description: area('Description', { isOptional: true, initial: before?.description ?? '' }),
  };
}

const common = {
  operation: putTrustRoot,
  isShown: (field: string, { kind }: { kind: string }) =>
    field !== (kind === 'sigstore' ? 'public_key' : 'trusted_root'),
};

const bodyOf = ({ kind, public_key: key, trusted_root: root, description }: Values<ReturnType<typeof fieldsOf>>) => ({
  kind,
  ...(kind === 'sigstore' ? { trusted_root: root } : { public_key: key }),
  ...(description !== '' && { description }),
});

export const newTrustRoot = (org: string, taken: readonly Pick<TrustRoot, 'name'>[]): Write =>
  write({
    ...common,
    button: 'New trust root',
    does: 'Create the trust root',
    doing: 'create trust roots',
    about: 'It verifies nothing until a signer names it.',
    fields: { name: line('Name', { note: NAME_NOTE }), ...fieldsOf() },
    check: ({ name }) => refuseTaken('a trust root', name, taken),
    request: ({ name, ...values }) => ({ params: { org, name: name.trim() }, body: bodyOf(values) }),
    opens: ({ name }) => ({ page: 'trust-root', params: { org, root: name.trim() } }),
  });

/** What the page of a trust root offers. */
export function trustRootWrites(org: string, given: TrustRoot): Write[] {
  const { name } = given;
  return versionedWrites(org, {
    what: 'trust root',
    given,
    put: (labels) =>
      write({
        ...common,
        ...labels,
        fields: fieldsOf(given),
        request: (values) => ({ params: { org, name }, body: bodyOf(values) }),
      }),
    again: {
      button: 'Trust it again',
      does: `Trust ${name} again`,
      about: 'It makes the next version, with the text that the trust root had before it was deleted.',
      done: 'It is trusted again.',
    },
    edited: 'Another text makes the next version, which verifies bundles from now on.',
    deleted:
      'Its signers verify nothing any more. What was verified before keeps its grade: recall the trust root if it is not to be trusted.',
    remove: deleteTrustRoot,
  });
}
