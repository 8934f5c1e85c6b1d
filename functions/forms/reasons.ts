import * as z from 'zod';
import { REASON_STEPS, type ReasonStep } from '#shared/base/reasons/steps.ts';
import type { BoundedChain } from '#shared/reasons/rules/bounded-chain.ts';

/** The query parameter that asks for the chain of reasons (rules/reasons.md#where-it-is-answered). */
export const reasonsField = {
  reasons: z
    .enum(['chain'])
    .optional()
    .meta({ description: '`chain`: adds `reasons`, from what asks to what was seen last, each with a link' }),
};

/** One step of a chain of reasons (rules/reasons.md#steps). */
const ReasonStepOut = z
  .object({
    step: z.enum(REASON_STEPS).describe('What the step is about'),
    name: z.string().describe('Name of what the step is about'),
    says: z.string().describe('What the step found, as a sentence without a full stop'),
    saw: z.string().nullable().describe('What was found, in few words; null if the sentence says everything'),
    html_url: z.string().describe('Address of a page for people'),
    compliant: z.boolean().nullable().describe('Whether it is compliant; null if the step decides nothing'),
  })
  .meta({ id: 'ReasonStep' });

const leftOut = z.int().optional().meta({
  description: 'Number of steps that were left out because there are too many. Only with `reasons=chain`',
});

/** The fields that an answer gets with `reasons=chain`. */
export const reasonFields = {
  reasons: z
    .array(ReasonStepOut)
    .optional()
    .meta({ description: 'Why, step by step, in the order of a walk that goes down first. Only with `reasons=chain`' }),
  reasons_left_out: leftOut,
};

/** The same fields for an answer whose `reasons` are sentences without the parameter. */
export const reasonOrSentenceFields = (description: string) => ({
  reasons: z.union([z.array(z.string()), z.array(ReasonStepOut)]).meta({
    description: `${description}. With \`reasons=chain\` the steps, in the order of a walk that goes down first`,
  }),
  reasons_left_out: leftOut,
});

interface ReasonsOut {
  reasons: ReasonStep[];
  reasons_left_out: number;
}

/** Shapes a chain. @returns nothing if none was asked for */
export const reasonsOut = (chain: BoundedChain | undefined): ReasonsOut | undefined =>
  chain && { reasons: chain.steps, reasons_left_out: chain.leftOut };
