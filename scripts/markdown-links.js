const FENCED = /(^```[\s\S]*?^```)/m
/** Inline code, which is left alone, or a link or picture to a file or heading. */
const RELATIVE = /`[^`\n]*`|(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\((?!https?:|mailto:)([^()\s]+)\)/g

/**
 * Replaces the targets of a page's links to files and headings. A link without a new target becomes its label.
 * @param {string} markdown
 * @param {(link: string, isPicture: boolean) => string | undefined} target
 */
export function withTargets(markdown, target) {
  // Every second part is a code block.
  const parts = markdown.split(FENCED).map((part, index) =>
    index % 2 === 1
      ? part
      : part.replaceAll(RELATIVE, (whole, mark, label, link) => {
          if (link === undefined) return whole
          const found = target(link, mark === '!')
          return found === undefined ? label : `${mark}[${label}](${found})`
        }),
  )
  return parts.join('')
}
