/** Types for the parts of an OpenAPI document that requests are generated from and answers are checked against. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

export interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

interface OperationObject {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

export interface Document {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, Schema> };
}

/** One operation with its method and path. */
export interface Operation extends OperationObject {
  method: string;
  /** Path template, from the root of the host. */
  path: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Lists the operations of a document. @param base path that is put before the document's paths */
export const operationsOf = ({ paths }: Document, base: string): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => ({
      ...(item[method] as OperationObject),
      method: method.toUpperCase(),
      path: 'servers' in item ? path : base + path,
    })),
  );

/** Resolves a reference to a schema. @throws Error if the document does not have the schema */
export function resolve({ components }: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = components.schemas[name];
  if (!found) throw new Error(`The document has no ${schema.$ref}`);
  return found;
}
