/// The position and size of a field on a screen, in any unit. If the host lays fields out itself, the order of focus
/// follows the frames (F10).
public struct FormFrame: Hashable, Sendable {
    /// The distance of the left edge from the left edge of the screen or container.
    public var x: Double
    /// The distance of the top edge from the top of the screen or container.
    public var y: Double
    /// The width, from the left edge to the right edge.
    public var width: Double
    /// The height. The order of focus does not depend on it.
    public var height: Double

    /// Creates a frame in the coordinates of a screen or of the field's container.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Returns the frame in the coordinate system of the container's parent. Use it for fields in different containers.
    public func converted(from container: FormFrame) -> FormFrame {
        FormFrame(x: x + container.x, y: y + container.y, width: width, height: height)
    }
}

/// The reading direction, which decides which edge of a screen is the leading one.
public enum LayoutDirection: Hashable, Sendable {
    /// The leading edge is the left one, as for English.
    case leftToRight
    /// The leading edge is the right one, as for Arabic.
    case rightToLeft
}

extension FormFrame {
    /// Whether this frame comes before another: it is higher up or, at the same height, nearer to the leading edge.
    func precedes(_ other: FormFrame, _ direction: LayoutDirection) -> Bool {
        if y != other.y { return y < other.y }
        return direction == .leftToRight ? x < other.x : x + width > other.x + other.width
    }
}
