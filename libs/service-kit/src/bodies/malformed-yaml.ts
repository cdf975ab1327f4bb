/** Why a text is not the YAML that this product reads. `line` and `column` start at 1. */
export class MalformedYaml extends Error {
  constructor(
    readonly reason: string,
    readonly place?: { readonly line: number; readonly column: number },
  ) {
    super(place ? `${reason} at line ${place.line}, column ${place.column}` : reason);
    this.name = 'MalformedYaml';
  }
}
