import { area, choice, line, names, type Write, write } from '../parts/form/model/forms.ts';
import { refuseTaken } from '../parts/form/model/taken.ts';
import { trustRootNames } from '../parts/form/suggestions.ts';
import { claimsText } from '../settings/claims.ts';
import { NAME_NOTE } from './model/names.ts';
import { PUBLIC_ROOT } from './model/public-root.ts';
import { bodyOf, checkValues, hasField } from './model/signer-form.ts';
import { deleteSigner, putSigner, type Signer } from './operations.ts';
import { versionedWrites } from './versioned-writes.ts';

/** Writes about signers (rules/verified-evidence.md#signers). */

function fieldsOf(org: string, before?: Signer) {
  return {
    by: choice(
      'A signature is known by',
      [
        ['certificate', 'a certificate: an authority says whom it belongs to'],
        ['key', 'a public key: the trust root is that key'],
      ],
      { initial: before && before.issuer === null ? 'key' : 'certificate' },
    ),
    trust_root: line('Trust root', {
      initial: before?.trust_root ?? PUBLIC_ROOT,
      suggest: trustRootNames(org),
      note: `${PUBLIC_ROOT} comes with the service: the authority and the log that GitHub and GitLab sign with.`,
    }),
    issuer: line('Issuer', {
      initial: before?.issuer ?? '',
      note: 'Who proved the identity to the authority. GitHub: https://token.actions.githubusercontent.com. GitLab: https://gitlab.com.',
    }),
    subjects: names('Subjects', {
      isOptional: true,
      initial: before?.subjects ?? [],
      note: 'One of them has to match, such as https://github.com/acme/web/.github/workflows/release.yml@refs/heads/main. «*» stands for any characters but /, after the repository only.',
    }),
    claims: area('Claims', {
      isOptional: true,
      initial: claimsText(before?.claims ?? {}),
      note: 'What the issuer has to say of the run, one per line: source_repository_uri = https://github.com/acme/web. All of them have to match. Several lines with the same claim: one of them.',
    }),
    description: area('Description', { isOptional: true, initial: before?.description ?? '' }),
  };
}

const common = {
  operation: putSigner,
  isShown: (field: string, { by }: { by: 'certificate' | 'key' }) => hasField(by, field),
};

export const newSigner = (org: string, taken: readonly Pick<Signer, 'name'>[]): Write =>
  write({
    ...common,
    button: 'New signer',
    does: 'Create the signer',
    doing: 'create signers',
    about: 'It says whose signatures count. A policy can then ask for evidence that this signer signed.',
    fields: { name: line('Name', { note: NAME_NOTE }), ...fieldsOf(org) },
    check: ({ name, ...values }): Record<string, string> => ({
      ...checkValues(values),
      ...refuseTaken('a signer', name, taken),
    }),
    request: ({ name, ...values }) => ({ params: { org, name: name.trim() }, body: bodyOf(values) }),
    opens: ({ name }) => ({ page: 'signer', params: { org, signer: name.trim() } }),
  });

/** What the page of a signer offers. */
export function signerWrites(org: string, given: Signer): Write[] {
  const { name } = given;
  return versionedWrites(org, {
    what: 'signer',
    given,
    put: (labels) =>
      write({
        ...common,
        ...labels,
        fields: fieldsOf(org, given),
        check: checkValues,
        request: (values) => ({ params: { org, name }, body: bodyOf(values) }),
      }),
    again: {
      button: 'Let it sign again',
      does: `Let ${name} sign again`,
      about: 'It makes the next version, with what the signer said before it was deleted.',
      done: 'Its signatures are verified again.',
    },
    edited: 'A change makes the next version. What was verified before names the version that matched.',
    deleted:
      'It verifies nothing any more. What it verified before keeps its grade: recall the signer if it is not to be trusted.',
    remove: deleteSigner,
  });
}
