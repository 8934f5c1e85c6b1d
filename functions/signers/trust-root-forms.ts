import * as z from 'zod';
import { EPOCH, toSeconds } from '#shared/base/time.ts';
import { acrossFields } from '#shared/base/validation.ts';
import type { ShownRoot } from '#shared/signers/public-root/show-public-root.ts';
import type { Unreadable } from '#shared/signers/read-signers.ts';
import { LONGEST_STORED_ROOT, PUBLIC_ROOT, ROOT_KINDS, type TrustRootRecord } from '#shared/signers/rules/records.ts';
import { unreadableOut, VERSION_FIELDS, versionOut } from './version-forms.ts';

/** Requests and answers about trust roots (rules/verified-evidence.md#stored-trust-roots). */

const ABOUT = {
  kind: '`sigstore`: certificate authorities, logs and timestamp authorities; `public-key`: one public key',
  trusted_root: 'The text of a `trusted_root.json`, or several as JSON lines',
  public_key: 'A public key as PEM: ECDSA on P-256 or P-384, Ed25519, or RSA of at least 2048 bits',
};
const Text = z.string().min(1).max(LONGEST_STORED_ROOT);

/** The field with the text of a kind, and the field that is for the other kind. */
const TEXTS_OF: Readonly<Record<string, readonly ['trusted_root' | 'public_key', 'trusted_root' | 'public_key']>> = {
  sigstore: ['trusted_root', 'public_key'],
  'public-key': ['public_key', 'trusted_root'],
};

export const TrustRootRequest = z
  .strictObject({
    kind: z.enum(ROOT_KINDS).describe(ABOUT.kind),
    trusted_root: Text.nullish().meta({ description: `${ABOUT.trusted_root}. Only with the kind \`sigstore\`` }),
    public_key: Text.nullish().meta({ description: `${ABOUT.public_key}. Only with the kind \`public-key\`` }),
    description: z.string().max(4096).nullish().describe('A text for people'),
  })
  .check(
    acrossFields(({ kind, ...texts }, refuse) => {
      // A wrong kind has an error of its own.
      const [wanted, other] = TEXTS_OF[String(kind)] ?? [];
      if (wanted !== undefined && texts[wanted] == null) refuse(wanted, 'Field required [input: None]');
      if (other !== undefined && texts[other] != null) refuse(other, `This field is not for the kind '${kind}'`);
    }),
  )
  .meta({ id: 'TrustRootRequest' });

/** A trust root, or one of its versions, in answers. */
export const TrustRootOut = z
  .object({
    name: z.string().describe('Name of the trust root'),
    kind: z.string().describe(ABOUT.kind),
    trusted_root: z.string().nullable().describe(`${ABOUT.trusted_root}; null with the kind \`public-key\``),
    public_key: z.string().nullable().describe(`${ABOUT.public_key}; null with the kind \`sigstore\``),
    digest: z.string().describe('SHA-256 of the text, as hexadecimal digits'),
    description: z.string().nullable().describe('A text for people'),
    ...VERSION_FIELDS,
    version: VERSION_FIELDS.version.describe(
      'Number of the version, from 1 on; 0 for the public root, which its digest names',
    ),
  })
  .meta({ id: 'TrustRoot' });
export type TrustRootOut = z.input<typeof TrustRootOut>;

export const trustRootOut = (one: TrustRootRecord): TrustRootOut => ({
  name: one.name,
  kind: one.kind,
  trusted_root: one.kind === 'sigstore' ? one.text : null,
  public_key: one.kind === 'public-key' ? one.text : null,
  digest: one.digest,
  description: one.description,
  ...versionOut(one),
});

/** The public root. No caller made it, and its times say when the region stored it. */
export const publicRootOut = ({ digest, text, from, at }: ShownRoot): TrustRootOut => ({
  name: PUBLIC_ROOT,
  kind: 'sigstore',
  trusted_root: text,
  public_key: null,
  digest,
  description:
    from === 'package'
      ? 'The public root of Sigstore, as a release of the service brought it'
      : 'The public root of Sigstore, as its repository published it',
  deleted: false,
  version: 0,
  created_at: toSeconds(at ?? EPOCH),
  created_by: '',
  changed_at: toSeconds(at ?? EPOCH),
  changed_by: '',
});

export const unreadableRoot = (one: Unreadable): TrustRootOut => ({
  kind: '',
  trusted_root: null,
  public_key: null,
  digest: '',
  description: null,
  ...unreadableOut(one),
});
