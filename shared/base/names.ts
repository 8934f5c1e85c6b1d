import * as z from 'zod';

/**
 * One type of name for each kind of record that requests refer to by name: a parameter of one kind takes neither the name
 * of another kind nor a plain text. As with ids, the kinds exist for the compiler alone.
 *
 * These schemas check only that a name is a text. They read stored names, which the service itself wrote, and names by
 * which a request looks for a record: a name that no record can have leads to none. A name that a request gives to a
 * record has a pattern (rules/requests.md#names).
 */
export const AnyFlowName = z.string().brand<'FlowName'>();
export const AnyTrailName = z.string().brand<'TrailName'>();
export const AnyEnvironmentName = z.string().brand<'EnvironmentName'>();
export const AnyPolicyName = z.string().brand<'PolicyName'>();

export type FlowName = string & z.$brand<'FlowName'>;
export type TrailName = string & z.$brand<'TrailName'>;
export type EnvironmentName = string & z.$brand<'EnvironmentName'>;
export type PolicyName = string & z.$brand<'PolicyName'>;

/** Schemas of the parameters of paths that are names: `{flow}` in the path of an endpoint stands for the name of a flow. */
export const NAMES_IN_PATHS = {
  flow: AnyFlowName,
  flow_name: AnyFlowName,
  trail: AnyTrailName,
  trail_name: AnyTrailName,
  env_name: AnyEnvironmentName,
  policy: AnyPolicyName,
};

/**
 * Reads a name out of a key, an entry of a list or another text that this service wrote: the caller knows which kind it
 * wrote there, and the compiler cannot. A text of a request becomes a name by a schema.
 */
export const storedName = <Kind extends string>(text: string): Kind => text as Kind;
