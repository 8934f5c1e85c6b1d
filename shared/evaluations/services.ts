import type { Stores } from '#shared/bodies/stores.ts';
import type { PolicyEngine } from '#shared/engines/policy-engine.ts';
import type { AttestingServices } from '#shared/evidence/record-attestation.ts';

export type EvaluatingServices = Stores & { policies: PolicyEngine };

/** Services of the worker that runs evaluations. Recording a decision takes what recording every attestation takes. */
export type EvaluatorServices = EvaluatingServices & AttestingServices;
