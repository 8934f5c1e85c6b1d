import * as z from 'zod';
import { addError, noErrors, refuseIfAny, withInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { tooManyOfIssuer, tooManyTrusts } from '#shared/organizations/rules/sentences.ts';
import { PRESET } from '#shared/organizations/rules/trust-presets.ts';
import { trustErrors } from '#shared/organizations/rules/trusts.ts';
import {
  type GivenTrust,
  PUT_TRUST,
  putTrust as put,
  type TrustPut,
} from '#shared/organizations/trusts/change-trust.ts';
import { TrustName } from '#shared/organizations/trusts/read-trusts.ts';
import { type AddressGuard, urlError } from '#shared/outgoing/address-guard.ts';
import { boundClaims, TrustOut, TrustRequest, trustOut } from './trust-forms.ts';

/** PUT /trusts/{org}/{name}: creates or replaces a trust (rules/identities.md#trusts). */
export const putTrust = endpoint({
  operation: 'putTrust',
  method: 'PUT',
  path: '/trusts/{org}/{name}',
  summary: 'Trust an issuer of tokens: pipelines whose tokens match act as a service account',
  description:
    'Replaces the whole trust. A change of issuer, audience, claims or service account ends the keys that were exchanged before. The change takes effect everywhere within 30 seconds. `warnings` of the answer names known traps.',
  access: 'admin',
  managesAccess: true,
  params: z.object({ org: z.string(), name: TrustName }),
  body: { kind: 'json', schema: TrustRequest },
  success: { 200: TrustOut, 201: TrustOut },
  makes: { at: '/trusts/{org}/{name}', id: 'name' },
  errors: [tooManyTrusts, tooManyOfIssuer],
  checks: [({ body }, { guard }) => body && checkTrust(body, guard)],
  uses: PUT_TRUST,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { org, params, body } = request;
    const { name } = params;
    return answerWrite(
      request,
      (by) => put(stores, by, givenTrust(name, body)),
      (outcome: TrustPut) => ({
        status: outcome.isNew ? 201 : 200,
        body: trustOut(outcome),
        made: { name },
        distrust: { trusts: { org: org.id, names: [name] } },
      }),
    );
  },
});

const givenTrust = (name: string, body: Body): GivenTrust => ({
  name,
  account: body.service_account,
  preset: body.preset,
  issuer: issuerOf(body),
  audience: body.audience,
  claims: boundClaims(body.claims),
  minutes: body.minutes,
  description: body.description ?? null,
});

type Body = z.output<typeof TrustRequest>;

/** Returns the issuer that a request means; empty if it names none and its preset has none for all. */
const issuerOf = ({ preset, issuer }: Body): string => issuer ?? PRESET[preset].issuer ?? '';

/**
 * Checks what the schema cannot: the address of the issuer, and whether the claims name a pipeline
 * (rules/identities.md#claims-that-a-trust-has-to-bind).
 *
 * @throws ServiceError 400 with a text for each wrong field
 */
function checkTrust(body: Body, guard: AddressGuard): void {
  const errors = noErrors();
  const issuer = issuerOf(body);
  const wrong = issuerError(issuer, guard);
  if (wrong !== undefined) addError(errors, 'issuer', withInput(wrong, body.issuer));
  for (const [field, text] of trustErrors({ preset: body.preset, issuer, claims: boundClaims(body.claims) })) {
    const [, claim] = /^claims\.(.*)$/.exec(field) ?? [];
    if (claim !== undefined) addError(errors, field, withInput(text, body.claims[claim]));
    else addError(errors, field, field === 'preset' ? withInput(text, body.preset) : text);
  }
  refuseIfAny(errors);
}

function issuerError(issuer: string, guard: AddressGuard): string | undefined {
  if (issuer === '') return 'This preset has no issuer for everybody. Send the issuer of your tokens';
  if (/[?#]/.test(issuer)) return 'An issuer has neither a query nor a fragment';
  return urlError(issuer, guard);
}
