/** A file part of a form, completely in memory. The gateway limits the size of requests. */
export interface FilePart {
  /** The name of the form part, such as `attachment_file.0`. */
  part: string;
  filename: string;
  contentType: string;
  bytes: Buffer;
}
