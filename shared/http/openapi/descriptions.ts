/** Descriptions for parts of the document whose definition gives none (rules/requests.md#descriptions-of-fields). */
export interface Descriptions {
  /** By name of the field, or by `parent.field`: the parent is a component, an operation, or the field around it. */
  fields: Readonly<Record<string, string>>;
  /** By name of the parameter, or by `operation.name`. */
  parameters: Readonly<Record<string, string>>;
}

export interface SchemaNode {
  description?: string;
  properties?: Record<string, SchemaNode>;
  [keyword: string]: unknown;
}

interface ParameterNode {
  name: string;
  in?: string;
  description?: string;
  required?: boolean;
  allowEmptyValue?: boolean;
  schema?: SchemaNode;
}

interface OperationNode {
  operationId: string;
  parameters?: ParameterNode[];
  requestBody?: object;
  responses: object;
}

export interface DocumentNode {
  paths?: Record<string, object>;
  components?: { schemas?: Record<string, SchemaNode> };
}

/** Keywords whose values are data and hold no schemas. */
const DATA = new Set(['examples', 'example', 'default', 'enum', 'const', 'links']);

/**
 * Calls `see` for each property of a schema, at any depth. A form in `anyOf` or `allOf` that only constrains properties
 * of the schema around it is left out.
 * @param parent name of what is around the schema
 */
export function eachProperty(
  node: unknown,
  parent: string,
  see: (name: string, property: SchemaNode, parent: string) => void,
  constrained: readonly string[] = [],
): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) eachProperty(item, parent, see, constrained);
    return;
  }
  const { properties = {}, ...others } = node as SchemaNode;
  for (const [name, property] of Object.entries(properties)) {
    if (constrained.includes(name)) continue;
    see(name, property, parent);
    eachProperty(property, name, see);
  }
  for (const [keyword, value] of Object.entries(others)) {
    const isForms = keyword === 'anyOf' || keyword === 'allOf';
    if (!DATA.has(keyword)) {
      eachProperty(value, parent, see, isForms ? [...constrained, ...Object.keys(properties)] : []);
    }
  }
}

/** Lists the operations of a document. */
export const operationNodes = ({ paths = {} }: DocumentNode): OperationNode[] =>
  Object.values(paths).flatMap((item) =>
    Object.values(item).filter((value): value is OperationNode => typeof value === 'object' && 'operationId' in value),
  );

/** Adds descriptions to the parameters and properties of a document that have none. Changes the document. */
export function addDescriptions(document: DocumentNode, { fields, parameters }: Descriptions): void {
  const describe = (name: string, property: SchemaNode, parent: string) => {
    const text = fields[`${parent}.${name}`] ?? fields[name];
    if (property.description === undefined && text !== undefined) property.description = text;
  };
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) eachProperty(schema, name, describe);
  for (const operation of operationNodes(document)) {
    const { operationId, requestBody, responses } = operation;
    eachProperty([requestBody, responses], operationId, describe);
    for (const parameter of operation.parameters ?? []) {
      const text = parameters[`${operationId}.${parameter.name}`] ?? parameters[parameter.name];
      if (parameter.description === undefined && text !== undefined) parameter.description = text;
    }
  }
}
