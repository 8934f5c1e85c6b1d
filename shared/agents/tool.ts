import * as z from 'zod';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Caller, Organization } from '#shared/callers/caller.ts';
import type { Feature, Role } from '#shared/callers/roles.ts';
import type { Uses } from '#shared/table/uses.ts';
import type { ToolAnswer } from './rules/tool-answer.ts';

/** What a tool works with: the services, and the caller with the rights that the caller has now. */
export interface ToolContext<Needs = Stores> {
  services: Needs;
  org: Organization;
  role: Role;
  caller: Caller;
  /** The name that the agent states of itself; null if it states none. */
  agent: string | null;
  /** The address of the service: `https://host`. Citations begin with it. */
  host: string;
  now: Micros;
}

/**
 * A task that an agent can ask for (rules/agents.md#tools). It calls use cases of the domains. No tool changes a record: those with
 * `uses` store a draft.
 *
 * @template Needs the services that it takes
 */
export interface Tool<Needs = never> {
  /** `why_not_compliant` */
  name: string;
  title: string;
  /** For the agent: when to use it, and what it answers. */
  description: string;
  /** Its arguments, `org` among them. Others are refused. */
  input: z.ZodObject;
  /** The least role of the caller in the organization. */
  access: Role;
  /** Beta feature that the organization must have. */
  feature?: Feature;
  /** What it writes: drafts. */
  uses?: Uses;
  run: (context: ToolContext<Needs>, input: never) => Promise<ToolAnswer>;
}

/** The argument that every tool has. */
const OrgName = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Name of the organization. Without it: your only organization, or your default one');

/**
 * Defines a tool. The type of its arguments follows from their schema.
 *
 * @param input its arguments besides `org`
 */
export const tool = <const I extends z.ZodRawShape, Needs = Stores>({
  input,
  ...definition
}: Omit<Tool, 'input' | 'run'> & {
  input: I;
  run: (context: ToolContext<Needs>, input: z.output<z.ZodObject<I>>) => Promise<ToolAnswer>;
}): Tool<Needs> =>
  // The door calls a tool with what the schema of the same definition parsed.
  ({ ...definition, input: z.strictObject({ ...input, org: OrgName }) }) as unknown as Tool<Needs>;
