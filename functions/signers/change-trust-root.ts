import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { CHANGE_ROOT, putTrustRoot as put, deleteTrustRoot as remove } from '#shared/signers/change-trust-root.ts';
import { SignerName, type TrustRootRecord } from '#shared/signers/rules/records.ts';
import { publicRootStays, tooManyRoots, unknownRoot } from '#shared/signers/rules/sentences.ts';
import type { Saved } from '#shared/signers/save-version.ts';
import { TrustRootOut, TrustRootRequest, trustRootOut } from './trust-root-forms.ts';

/** PUT /trust-roots/{org}/{name}: creates a trust root or adds a version (rules/verified-evidence.md#stored-trust-roots). */
export const putTrustRoot = endpoint({
  operation: 'putTrustRoot',
  method: 'PUT',
  path: '/trust-roots/{org}/{name}',
  summary: 'Create a trust root, or update it',
  description:
    'Says by which authorities, or by which public key, signatures are verified. A request that changes something makes a version, which no later request changes.',
  access: 'admin',
  params: z.object({ org: z.string(), name: SignerName }),
  body: { kind: 'json', schema: TrustRootRequest },
  success: { 200: TrustRootOut, 201: TrustRootOut },
  makes: { at: '/trust-roots/{org}/{name}', id: 'name' },
  errors: [tooManyRoots, publicRootStays],
  uses: CHANGE_ROOT,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { name } = request.params;
    const { kind, trusted_root: root, public_key: key, description = null } = request.body;
    // The schema lets exactly the text of the kind pass.
    const text = (kind === 'sigstore' ? root : key) ?? '';
    return answerWrite(
      request,
      (by) => put(stores, by, { name, kind, text, description }),
      ({ isNew, record }: Saved<TrustRootRecord>) => ({
        status: isNew ? 201 : 200,
        body: trustRootOut(record),
        made: { name },
      }),
    );
  },
});

/** DELETE /trust-roots/{org}/{name}: adds a deleted version (rules/verified-evidence.md#stored-trust-roots). */
export const deleteTrustRoot = endpoint({
  operation: 'deleteTrustRoot',
  method: 'DELETE',
  path: '/trust-roots/{org}/{name}',
  summary: 'Delete a trust root',
  description: 'Its signers verify nothing any more. Its versions stay.',
  access: 'admin',
  success: { 200: TrustRootOut },
  errors: [unknownRoot],
  uses: CHANGE_ROOT,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerWrite(
      request,
      (by) => remove(stores, by, request.params.name),
      ({ record }: Saved<TrustRootRecord>) => ({ status: 200, body: trustRootOut(record) }),
    ),
});
