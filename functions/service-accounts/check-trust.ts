import type * as z from 'zod';
import { addError, noErrors, refuseIfAny, withInput } from '#shared/base/validation.ts';
import { PRESET } from '#shared/organizations/rules/trust-presets.ts';
import { trustErrors } from '#shared/organizations/rules/trusts.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import { urlError } from '#shared/outgoing/address-text.ts';
import { boundClaims, type TrustRequest } from './trust-forms.ts';

type Body = z.output<typeof TrustRequest>;

/** Returns the issuer that a request means; empty if it names none and its preset has none for all. */
export const issuerOf = ({ preset, issuer }: Body): string => issuer ?? PRESET[preset].issuer ?? '';

/**
 * Checks what the schema cannot: the address of the issuer, and whether the claims name a pipeline
 * (rules/identities.md#claims-that-a-trust-has-to-bind).
 *
 * @throws ServiceError 400 with a text for each wrong field
 */
export function checkTrust(body: Body, guard: AddressGuard): void {
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
