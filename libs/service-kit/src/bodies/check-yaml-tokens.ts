import { CST, Lexer } from 'yaml';
import { MalformedYaml } from './malformed-yaml.ts';

/** Far above any manifest, and few enough that the parser, whose worst cases are quadratic, ends in milliseconds. */
const maximumTokens = 10_000;
const maximumAliases = 16;

/**
 * What must be known before a parser sees the text: lexing takes linear time, parsing does not. Refuses tags, directives,
 * many aliases and texts of very many tokens.
 *
 * @throws MalformedYaml
 */
export function checkYamlTokens(text: string): void {
  const scan = new Scan();
  for (const lexeme of new Lexer().lex(text)) scan.take(lexeme, CST.tokenType(lexeme));
}

class Scan {
  private tokens = 0;
  private aliases = 0;
  private line = 1;
  private column = 1;

  take(lexeme: string, type: CST.TokenType | null): void {
    if (++this.tokens > maximumTokens) this.refuse(`More than ${maximumTokens} tokens (send it as JSON)`);
    this.judge(type);
    this.move(lexeme);
  }

  private judge(type: CST.TokenType | null): void {
    switch (type) {
      case 'tag':
        return this.refuse('A tag');
      case 'directive-line':
        return this.refuse('A directive');
      case 'alias':
        return ++this.aliases > maximumAliases ? this.refuse(`More than ${maximumAliases} aliases`) : undefined;
      default:
    }
  }

  private move(lexeme: string): void {
    // The lexer's own marks have no width: document start, flow error end, scalar follows.
    if (lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END || lexeme === CST.SCALAR) return;
    const breaks = lexeme.split('\n');
    const last = breaks.at(-1) ?? '';
    if (breaks.length === 1) {
      this.column += lexeme.length;
      return;
    }
    this.line += breaks.length - 1;
    this.column = last.length + 1;
  }

  private refuse(reason: string): never {
    throw new MalformedYaml(reason, { line: this.line, column: this.column });
  }
}
