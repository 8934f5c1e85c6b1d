import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { CHANGE_SIGNER, putSigner as put, deleteSigner as remove } from '#shared/signers/change-signer.ts';
import { SignerName, type SignerRecord } from '#shared/signers/rules/records.ts';
import { tooManySigners, unknownSigner } from '#shared/signers/rules/sentences.ts';
import type { Saved } from '#shared/signers/save-version.ts';
import { boundClaims, SignerOut, SignerRequest, signerOut } from './signer-forms.ts';

/** PUT /signers/{org}/{name}: creates a signer or adds a version (rules/verified-evidence.md#signers). */
export const putSigner = endpoint({
  operation: 'putSigner',
  method: 'PUT',
  path: '/signers/{org}/{name}',
  summary: 'Create a signer, or update it',
  description:
    'Says whose signatures count: a trust root, and with certificates an issuer and the subjects or claims of a pipeline. A request that changes something makes a version, which no later request changes.',
  access: 'admin',
  params: z.object({ org: z.string(), name: SignerName }),
  body: { kind: 'json', schema: SignerRequest },
  success: { 200: SignerOut, 201: SignerOut },
  makes: { at: '/signers/{org}/{name}', id: 'name' },
  errors: [tooManySigners],
  uses: CHANGE_SIGNER,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { name } = request.params;
    const { trust_root: root, issuer, subjects, claims, description } = request.body;
    const given = {
      name,
      root,
      issuer: issuer ?? null,
      subjects: [...new Set(subjects ?? [])],
      claims: boundClaims(claims),
      description: description ?? null,
    };
    return answerWrite(
      request,
      (by) => put(stores, by, given),
      ({ isNew, record }: Saved<SignerRecord>) => ({
        status: isNew ? 201 : 200,
        body: signerOut(record),
        made: { name },
      }),
    );
  },
});

/** DELETE /signers/{org}/{name}: adds a deleted version (rules/verified-evidence.md#signers). */
export const deleteSigner = endpoint({
  operation: 'deleteSigner',
  method: 'DELETE',
  path: '/signers/{org}/{name}',
  summary: 'Delete a signer',
  description: 'A deleted signer verifies nothing any more. Its versions stay.',
  access: 'admin',
  success: { 200: SignerOut },
  errors: [unknownSigner],
  uses: CHANGE_SIGNER,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerWrite(
      request,
      (by) => remove(stores, by, request.params.name),
      ({ record }: Saved<SignerRecord>) => ({ status: 200, body: signerOut(record) }),
    ),
});
